#!/usr/bin/env bash
# Checks a folder or archive of submissions before anything is built: submissions.sh PATH. Prints one sentence if it
# cannot hold a class, otherwise nothing. Leaves its contents to labgrade.
set -u
path=$1
name=${path##*/}

if [ ! -e "$path" ]; then
    echo "there is no folder or archive $path"
elif [ -d "$path" ]; then
    if [ ! -r "$path" ] || [ ! -x "$path" ]; then
        echo "you may not open the folder $path"
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
        echo "you may not read $path"
    elif [ "$found" != "$wanted" ]; then
        echo "$path is damaged: its first bytes are not those of such an archive"
    fi
fi
