#!/usr/bin/env bash
# Checks lib/docs/phrase-book.md: prints every stale entry, and fails if there is one.
#   every name in names/cupy.txt and names/pycuda.txt has a row, and every name of theirs in a row is in those files
#   every row says what it is here: a name of ours that a header declares, or words, such as "not here, because ..."
#   every function of lab.h is in a row, or among those that are ours alone, and no other is there
set -u
cd "$(dirname "$0")/../.." || exit 1

book=$(<lib/docs/phrase-book.md)

# cells COLUMN: what stands between backquotes in that column of the tables, one a line.
cells()
{
    awk -F' *[|] *' -v column="$1" '/^\| / && !/^\| CuPy/ { n = split($(column + 1), part, "`"); for (i = 2; i <= n; i += 2) print part[i] }' <<<"$2" |
        LC_ALL=C sort -u
}

# differences COLUMN FILE: names that only one of them has.
differences()
{
    local listed
    listed=$(grep -v '^#' "$2" | LC_ALL=C sort -u)
    comm -23 <(echo "$listed") <(cells "$1" "$theirs") | sed "s|\$|: is in $2 and has no row in the phrase book|"
    comm -13 <(echo "$listed") <(cells "$1" "$theirs") | sed "s|\$|: has a row in the phrase book and is not in $2|"
}

theirs=$(sed '/^## Ours alone/,$d' <<<"$book")
alone=$(sed -n '/^## Ours alone/,$p' <<<"$book" | sed '/^| here/d')
functions=$(lib/tools/public-functions.sh | LC_ALL=C sort -u)
in_rows=$(cells 3 "$theirs" | grep -oE '^lab_[a-z0-9_]+')
in_alone=$(cells 1 "$alone")

! {
    differences 1 lib/tools/names/cupy.txt
    differences 2 lib/tools/names/pycuda.txt
    awk -F' *[|] *' '/^\| / && NF != 5 && NF > 2 { print $0 ": is no row of three columns" }
                     /^\| / && NF == 5 && $4 == "" { print $0 ": does not say what it is here" }' <<<"$theirs"
    comm -23 <(echo "$functions") <(printf '%s\n' "$in_rows" "$in_alone" | LC_ALL=C sort -u) |
        sed 's/$/: is in lab.h and not in the phrase book/'
    comm -23 <(echo "$in_alone") <(echo "$functions") | sed 's/$/: is ours alone in the phrase book and not in lab.h/'
    comm -12 <(echo "$in_rows" | LC_ALL=C sort -u) <(echo "$in_alone") | sed 's/$/: is ours alone and in a row too/'
} | grep .
