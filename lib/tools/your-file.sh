#!/usr/bin/env bash
# The file in which a student writes, labs/lab03-concurrency/lab03.c, which git ignores. It begins as the lab's starter,
# labs/lab03-concurrency/starter.c. A copy of the starter that it began from is kept as .starters/lab03.c.
#   your-file.sh begin FOLDER...    makes the files that are missing; says which starter has changed since
#   your-file.sh changes FOLDER YES shows that change; with YES it is not mentioned any more
#   your-file.sh reset FOLDER YES   starts over with the starter and keeps the file; asks first, unless YES says so
# A file that is still an old starter becomes the new one. What somebody has written in changes by reset alone.
set -u
cd "$(dirname "$0")/../.." || exit 1

# names_of FOLDER: sets the names below.
names_of()
{
    folder=$1
    lab=${1##*/}
    lab=${lab%%-*}
    file=$1/$lab.c
    starter=$1/starter.c
    begun=.starters/$lab.c
    [ -e "$starter" ] || refuse "The starter $starter is missing: this workbook is not whole."
}

refuse()
{
    printf '%s\n' "$@" >&2
    exit 2
}

# put FILE...: each FILE becomes the starter, at once.
put()
{
    local to
    for to; do
        mkdir -p "${to%/*}" 2>/dev/null && cp "$starter" "$to.new" 2>/dev/null && mv "$to.new" "$to" && continue
        rm -f "$to.new"
        return 1
    done
}

# An older clone tracks the file. If its owner has committed it, a pull that removes it there stops: git leaves the file
# as it is and its index without one of the two sides, 2 and 3.
say_git_stopped()
{
    case $(git ls-files --unmerged -- "$file" 2>/dev/null | cut -d ' ' -f 3 | cut -f 1 | tr -d '\n') in
        12 | 13)
            echo "$lab: git stopped at $file, which the workbook no longer tracks. The file is as you left it."
            echo "$lab: 'git reset $file' keeps it so; then 'git status' says how to continue."
            ;;
    esac
}

begin()
{
    names_of "$1"
    say_git_stopped
    if [ ! -e "$file" ]; then
        put "$file" || refuse "$file cannot be written. Take a copy of the starter, and let that be checked:" \
            "cp $starter ~/$lab.c; make $lab FILE=~/$lab.c"
        put "$begun"
    elif [ ! -e "$begun" ]; then
        put "$begun" # the starter that it began from is unknown
    elif cmp -s "$begun" "$starter"; then
        :
    elif cmp -s "$begun" "$file"; then
        put "$file" "$begun" && echo "$lab: there is a new starter, and your $lab.c, still the old one, is the new one now."
    else
        echo "$lab: the starter has changed since you began; make $lab-starter shows how."
    fi
}

changes()
{
    names_of "$1"
    if [ ! -e "$begun" ] || cmp -s "$begun" "$starter"; then
        echo "The starter of $lab has not changed since you began."
    elif [ "$2" ]; then
        put "$begun" || refuse "$begun cannot be written."
        echo "This change of the starter is not mentioned any more."
    else
        diff -U3 --label 'the starter when you began' --label 'the starter now' "$begun" "$starter"
        printf '%s\n' '' "Your $file is as you left it: make by hand in it what you want of this." \
            "make $lab-starter YES=1 ends the reminder. make $lab-reset starts over, and keeps your file."
    fi
}

reset()
{
    local yes=$2 number=1 backup answer kept=''
    names_of "$1"
    if cmp -s "$starter" "$file"; then
        put "$begun"
        echo "$file is the starter already."
        return
    fi
    [ -w "$folder" ] || refuse "$file stays as it is: the folder $folder cannot be written."
    [ ! -d "$file" ] || refuse "$file is a folder: move it away, then run make $lab-reset again."
    while [ -e "$file.backup-$number" ]; do number=$((number + 1)); done
    backup=$file.backup-$number
    if [ -z "$yes" ] && [ -e "$file" ]; then
        [ -t 0 ] || refuse "$file stays as it is: nobody is there to ask. make $lab-reset YES=1 does not ask."
        read -r -p "Start $lab over? Your $file is kept as ${backup##*/}. [y/N] " answer || echo
        [[ $answer == [yY] || $answer == [yY][eE][sS] ]] || {
            echo "$file stays as it is."
            return
        }
    fi
    if [ -e "$file" ]; then
        cp -p "$file" "$backup" || {
            rm -f "$backup"
            refuse "$file stays as it is: it could not be kept as $backup."
        }
        kept=" Yours is kept as $backup."
    fi
    put "$file" || refuse "$file stays as it is: the starter could not be put there.$kept"
    put "$begun"
    echo "$file is the starter again.$kept"
}

verb=$1
shift
case $verb in
    begin)
        for each; do begin "$each"; done
        ;;
    changes | reset) "$verb" "$@" ;;
esac
true
