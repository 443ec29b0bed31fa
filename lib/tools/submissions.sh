#!/usr/bin/env bash
# Looks at what is to be graded before anything is built for it: submissions.sh PATH. Prints one sentence if that can be no
# class, nothing if it can. What is in it is labgrade's to judge.
set -u
path=$1
name=${path##*/}

if [ ! -e "$path" ]; then
    echo "there is no folder or archive $path"
elif [ -d "$path" ]; then
    if [ ! -r "$path" ] || [ ! -x "$path" ]; then
        echo "the folder $path cannot be opened by you"
    elif [ -z "$(find -L "$path" -mindepth 1 -maxdepth 1 ! -name '.*' ! -name __MACOSX -print -quit)" ]; then
        echo "the folder $path is empty: it should hold one subfolder a student"
    fi
elif [ ! -f "$path" ]; then
    echo "$path is neither a folder nor an archive"
else
    case ${name,,} in
    *.zip) wanted=504b at=0 ;;
    *.tar.gz | *.tgz) wanted=1f8b at=0 ;;
    *.tar) wanted=7573746172 at=257 ;;
    *) wanted='' ;;
    esac
    found=$(od -An -tx1 -j "${at:-0}" -N $((${#wanted} / 2)) "$path" 2>/dev/null | tr -d ' \n')
    if [ -z "$wanted" ]; then
        echo "$path is neither a folder nor an archive (.zip, .tar, .tar.gz)"
    elif [ ! -r "$path" ]; then
        echo "$path cannot be read by you"
    elif [ "$found" != "$wanted" ]; then
        echo "$path is damaged: it does not begin as an archive of its name does"
    fi
fi
