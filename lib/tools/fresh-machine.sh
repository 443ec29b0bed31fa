#!/usr/bin/env bash
# Follows the README's first two commands on empty systems: fresh-machine.sh FOLDER SYSTEM..., such as debian-12,
# ubuntu-24.04 or debian-12-arm64. Each SYSTEM is made by debootstrap in FOLDER, from the mirror that mirror.sh finds,
# and removed afterwards; FOLDER/packages keeps the packages of these systems. The workbook is set up there once by root
# and once by somebody without rights. A row says what `make setup` fetched and what lab 00, its solution and the demo
# took. With TESTS=1 `make setup test` follows; then a second row says what that fetched and took, and which tests
# failed. A processor that this machine lacks is emulated by qemu: by 10.0, since 7.2 lacks a system call of labcheck's.
# Needs root, debootstrap and a network; the row of a system that cannot be made is "not run". The last line is
# "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=lib/tools/needs.sh
. lib/tools/needs.sh

declare -A suites=([debian-12]=bookworm [debian-13]=trixie [ubuntu-22.04]=jammy [ubuntu-24.04]=noble
    [ubuntu-26.04]=resolute)
places=$1
shift
passed=0
failed=0
not_run=0

# make_system SYSTEM: makes the system with nothing but make in $place, or prints why that cannot be.
make_system()
{
    local name=${1%-arm64} arch=amd64 include=make mirror keys script=() qemu=qemu-aarch64-static
    [[ $1 == *-arm64 ]] && arch=arm64
    [ -n "${suites[$name]:-}" ] || { echo "there are ${!suites[*]}, and the same with -arm64" && return 1; }
    [ "$(id -u)" -eq 0 ] || { echo 'only root can make systems' && return 1; }
    keys=${name%%-*}
    mirror=$(lib/tools/mirror.sh "$keys" $arch) || { echo "$mirror" && return 1; }
    [[ $mirror == https:* ]] && include+=,ca-certificates
    # debootstrap may be older than the system; all systems of Ubuntu have the script of that one.
    [ "$keys" = debian ] || script=(/usr/share/debootstrap/scripts/gutsy)
    keys=/usr/share/keyrings/$keys-archive-keyring.gpg
    [ -e "$keys" ] || { echo "$keys is missing: the distribution's package of keys has it" && return 1; }
    if [ $arch != "$(dpkg --print-architecture)" ] && ! grep -qs enabled /proc/sys/fs/binfmt_misc/qemu-aarch64; then
        echo "the kernel does not start $qemu for arm64: apt install qemu-user-static binfmt-support" && return 1
    fi
    mkdir -p "$places/packages/${suites[$name]}"
    debootstrap --variant=minbase --include="$include" --cache-dir="$(realpath "$places/packages/${suites[$name]}")" \
        --arch=$arch --keyring="$keys" --components="main$([[ $name == debian-* ]] || echo ,universe)" \
        "${suites[$name]}" "$place" "$mirror" "${script[@]}" >"$place.log" 2>&1 ||
        { echo "debootstrap: $(tail -n 1 "$place.log")" && return 1; }
    cp /etc/resolv.conf "$place/etc/resolv.conf"
    chroot "$place" useradd --create-home --uid 1000 student
}

# inside USER COMMAND: runs the command in the workbook's folder of the user's home, with mounts of its own.
inside()
{
    local home=/root
    [ "$1" = root ] || home=/home/$1
    # shellcheck disable=SC2016  # the inner shell's variables
    unshare --mount --pid --fork --kill-child bash -c '
        mount --bind "$1" "$1" && cd "$1" && mount -t proc proc proc && mount --rbind /dev dev && mount --rbind /sys sys &&
            pivot_root . . && umount -l . && exec chroot . setpriv --reuid "$2" --regid "$2" --clear-groups \
                env -i HOME="$3" PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 LAB_DEVICE=cpu \
                bash -c "cd ~/workbook && $4"' bash "$place" "$1" "$home" "$2"
}

# timed USER COMMAND: runs it, adds its output to the log; prints its seconds: all, and the processor's.
timed()
{
    local seconds status TIMEFORMAT='%R %U %S'
    seconds=$({ time inside "$1" "$2" >>"$place.log" 2>&1; } 2>&1)
    status=$?
    awk '{ printf "%.0f s (%.0f s CPU)", $1, $2 + $3 }' <<<"$seconds"
    return $status
}

# follow SYSTEM USER: prints the row.
follow()
{
    local user=$2 home=$place/home/$2 setup lab solution demo fetched status=0
    [ "$user" = student ] || home=$place/root
    mkdir -p "$home/workbook"
    lib/tools/files.sh '*' | tar -c -T - | tar -x -C "$home/workbook" --no-same-owner
    chroot "$place" chown -R "$user:" "${home#"$place"}"
    setup=$(timed "$user" 'make setup') || status=1
    fetched=$(grep -aoE '[0-9]+ packages, [0-9]+ MB' "$place.log" | head -n 1)
    # shellcheck disable=SC2016  # the inner shell's variables
    lab=$(timed "$user" 'told=$(make lab00); echo "$told"; grep -q "^NOT SOLVED YET" <<<"$told"') || status=1
    solution=$(timed "$user" 'make lab00-solution') || status=1
    demo=$(timed "$user" 'make setup demo') || status=1
    printf '%-20s %-8s %-22s setup %s, lab 00 %s, its solution %s, demo %s: %s\n' "$1" "$user" \
        "${fetched:-nothing fetched}" "$setup" "$lab" "$solution" "$demo" \
        "$([ $status -eq 0 ] && echo works || echo FAILED)"
    [ $status -eq 0 ] || tail -n 15 "$place.log" | sed 's/^/    /'
    if [ -n "${TESTS:-}" ]; then follow_tests "$1" "$user" || status=1; fi
    return $status
}

# follow_tests SYSTEM USER: prints the row of `make setup test`; what failed is under it.
follow_tests()
{
    local log=$place.log tests numbers fetched status=0
    : >"$log"
    tests=$(timed "$2" 'make setup test') || status=1
    fetched=$(grep -aoE '[0-9]+ packages, [0-9]+ MB' "$log" | tail -n 1)
    numbers=$(grep -aE '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
    printf '%-20s %-8s %-22s setup and test %s: %s\n' "$1" "$2" "${fetched:-nothing fetched}" "$tests" \
        "${numbers:-broke off}"
    [ $status -eq 0 ] || sed -n '/^Failed: make/,$p' "$log" | sed 's/^/    /'
    cp "$log" "$place.$2-tests.log"
    return $status
}

for system; do
    place=$places/$system
    mkdir -p "$place"
    if ! why=$(make_system "$system"); then
        printf '%-20s not run: %s\n' "$system" "$why"
        not_run=$((not_run + 1))
    else
        # Somebody without rights comes first: what root installs is there for all.
        for user in student root; do
            : >"$place.log"
            if follow "$system" "$user"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
        done
    fi
    rm -rf --one-file-system "$place"
done
[ "$not_run" -eq 0 ] || echo "$not_run not run, which is no pass"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$not_run" -eq 0 ]
