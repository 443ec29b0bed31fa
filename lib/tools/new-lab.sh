#!/usr/bin/env bash
# Makes a new lab and its slides from labs/labNN-template and slides/template.md: new-lab.sh NAME, as "lab14-warps", or
# "warps" for the next free number. Knows the template's names; nothing is overwritten.
set -eu
cd "$(dirname "$0")/../.."

name=${1:-}
if [[ $name =~ ^[a-z][a-z-]*$ && ! $name =~ ^lab[0-9-] ]]; then
    last=$(find labs -maxdepth 1 -name 'lab[0-9][0-9]-*' | sed -E 's,.*/lab([0-9]{2})-.*,\1,' | sort -n | tail -n 1)
    name=$(printf 'lab%02d-%s' "$((10#${last:-00} + 1))" "$name")
fi
[[ $name =~ ^lab[0-9][0-9]-[a-z][a-z-]*$ ]] || {
    echo "make new-lab NAME=lab14-warps: a number of two digits and a name of small letters and dashes is needed." >&2
    exit 2
}
lab=${name%%-*}
for taken in labs/"$lab"-* solutions/"$lab"-* slides/"${lab#lab}"-*.md; do
    [ ! -e "$taken" ] || {
        echo "$taken is there already: choose another number." >&2
        exit 2
    }
done

cp -R labs/labNN-template "labs/$name"
cp -R solutions/labNN-template "solutions/$name"
cp slides/template.md "slides/${name#lab}.md"
subject=${name#*-}
subject=${subject//-/ }
find "labs/$name" "solutions/$name" "slides/${name#lab}.md" -type f -exec sed -i "s/labNN-template/$name/g; s/labNN/$lab/g;
    s/LABNN/${lab^^}/g; s/ab NN/ab ${lab#lab}/g; s/^title: The template/title: $subject/
    s/\"The template\"/\"${subject^}\"/; s/\([,:]\) the template/\1 $subject/" {} +
find "labs/$name" "solutions/$name" -name 'labNN*' | while read -r file; do mv "$file" "${file/labNN/$lab}"; done

echo "labs/$name, solutions/$name and slides/${name#lab}.md are there. Now:"
echo "  make $lab               fails: it is the starter"
echo "  make $lab-solution      passes"
echo "  make verify LAB=$lab    proves it, checks its slides, and names what is left to write: TODO"
echo "labs/AUTHORING.md and slides/AUTHORING.md say how to continue."
