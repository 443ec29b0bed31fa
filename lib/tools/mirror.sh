#!/usr/bin/env bash
# Prints a mirror of a distribution: mirror.sh debian|ubuntu ARCHITECTURE. That is MIRROR or, without it, the first from
# which this machine's own apt takes that distribution; apt reads both forms of its sources itself. Fails and prints
# what to do where there is none.
set -u

distribution=$1
architecture=$2
if [ -n "${MIRROR:-}" ]; then
    echo "${MIRROR%/}"
    exit
fi

# All architectures of Debian are on each mirror of it, but not those of Ubuntu.
[ "$distribution" = debian ] && architecture='[^|]*'

# sites OPTIONS...: prints the release, whose it is, and the place of what apt fetches for this architecture. Lists that
# were fetched say whose they are; with --no-release-info apt tells of lists that it has not fetched as well.
sites()
{
    # shellcheck disable=SC2016  # apt's own variables
    apt-get indextargets "$@" --format '$(COMPONENT)|$(ARCHITECTURE)|$(RELEASE)|$(ORIGIN)|$(SITE)' 2>/dev/null |
        sed -nE "s,^main\|$architecture\|([^-/|]*\|[^|]*\|https?://[^|]*[^/|])/?$,\1,p"
}

declare -A releases=([debian]='stable|testing|unstable|sid|bookworm|trixie|forky' [ubuntu]='jammy|noble|resolute')
found=$({
    sites | sed -nE "s,^[^|]*\|${distribution^}\|,,p"
    sites --no-release-info | sed -nE "s,^(${releases[$distribution]})\|[^|]*\|,,p"
} | head -n 1)
if [ -z "$found" ]; then
    echo "apt has no mirror of ${distribution^} for $2 here: name one, as in MIRROR=http://mirror.example.org/$distribution"
    exit 1
fi
echo "$found"
