# shellcheck shell=bash
# Packages without root: apt downloads them into a folder of the user's, and they are unpacked there. setup.sh includes
# this file. The makefile puts the folder's bin/ first in PATH: each program in it sets what the real program needs and
# starts that one, so that nothing depends on variables that others may drop.

# private_apt FOLDER: from now on apt-get and apt-cache keep everything in FOLDER/apt. What is unpacked there counts as
# installed.
private_apt()
{
    local apt=$1/apt lists=$1/apt/lists
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" || return
    knows_packages && lists=/var/lib/apt/lists
    cat /var/lib/dpkg/status "$apt/unpacked" >"$apt/status" 2>/dev/null
    printf '%s "%s";\n' Dir::State::Lists "$lists" Dir::State::status "$apt/status" Dir::Cache "$apt/cache" \
        Debug::NoLocking true APT::Sandbox::User "" Dir::Log "$apt" >"$apt/apt.conf"
    export APT_CONFIG=$apt/apt.conf
}

# download FOLDER PACKAGES...: fetches them and what they depend on; a list of packages that is out of date is renewed.
download()
{
    local folder=$1
    shift
    apt-get -q -y --no-install-recommends --download-only install "$@" && return
    sed -i "s,^Dir::State::Lists .*,Dir::State::Lists \"$folder/apt/lists\";," "$APT_CONFIG"
    apt-get -q update && apt-get -q -y --no-install-recommends --download-only install "$@"
}

# unpack FOLDER: unpacks what was downloaded. The C library itself stays the system's: its loader goes with it.
unpack()
{
    local folder=$1 package
    mkdir -p "$folder/usr/lib" "$folder/usr/bin"
    ln -sfn usr/lib "$folder/lib"
    for package in "$folder"/apt/cache/archives/*.deb; do
        [ -e "$package" ] || continue
        if [[ ${package##*/} != libc6_* && ${package##*/} != libc-bin_* ]]; then
            dpkg-deb --fsys-tarfile "$package" | tar -x -C "$folder" --keep-directory-symlink --no-same-owner \
                --exclude='./usr/share/doc' --exclude='./usr/share/man' --exclude='./usr/share/locale' || return
        fi
        { dpkg-deb -f "$package" && printf 'Status: install ok installed\n\n'; } >>"$folder/apt/unpacked" || return
        rm -f "$package"
    done
    rm -f "$folder"/apt/cache/*.bin
    relocate "$folder"
    write_starters "$folder"
}

# relocate FOLDER: links and linker scripts that name a file by its absolute path name the one in FOLDER, if it is there.
relocate()
{
    local folder=$1 link target script path
    while IFS= read -r -d '' link; do
        target=$(readlink "$link")
        [[ $target == /* && -e $folder$target ]] && ln -sfn "$folder$target" "$link"
    done < <(find "$folder/usr" -type l -print0)
    while IFS= read -r script; do
        while IFS= read -r path; do
            [ -e "$folder$path" ] && sed -i "s,\([ (]\)$path\b,\1$folder$path,g" "$script"
        done < <(grep -oE '/(usr/)?lib[^ ]*' "$script" | sort -u)
    done < <(find "$folder/usr/lib" -name '*.so' -type f -size -2k -exec grep -lI 'GROUP\|INPUT' {} +)
}

# real_program FOLDER NAME: prints where the program is, in FOLDER or else on the system.
real_program()
{
    local place
    [ -x "$1/usr/bin/$2" ] && echo "$1/usr/bin/$2" && return
    type -ap "$2" | while IFS= read -r place; do
        [ "$place" = "$1/bin/$2" ] || { echo "$place" && break; }
    done
}

# write_starters FOLDER: writes FOLDER/bin, with a starter for each program. Compilers find the headers and libraries,
# and programs that gcc links find the libraries wherever they are started; Python finds its modules, pandoc its data and
# Chromium its fonts. Debian's own starter of Chromium reads settings that only the system has, and its link for cc is
# made by a package's script. Starters are replaced one by one: a lab that is being built meanwhile finds them.
write_starters()
{
    local folder=$1 libraries name real options variable made
    libraries=$(find "$folder/usr/lib" -maxdepth 1 -name '*-linux-gnu*' -type d -print -quit)
    mkdir -p "$folder/bin"
    made=$(mktemp -d "$folder/starters-XXXXXX") || return
    for name in $(cd "$folder/usr/bin" && printf '%s\n' *) gcc cc clang python3; do
        real=$(real_program "$folder" "$name")
        options=
        variable=
        [ -n "$real" ] || [ "$name" != cc ] || real=$(real_program "$folder" gcc)
        [ -n "$real" ] || continue
        case $name in
        gcc | cc) options=" -Wl,--disable-new-dtags,-rpath,$libraries" ;;
        pandoc) variable="pandoc_datadir=\"$folder/usr/share/pandoc\"" ;;
        chromium)
            [ ! -x "$folder/usr/lib/chromium/chromium" ] || real=$folder/usr/lib/chromium/chromium
            variable="FONTCONFIG_PATH=\"$folder/etc/fonts\" XDG_DATA_HOME=\"$folder/usr/share\""
            variable+=" LD_LIBRARY_PATH=\"\$LD_LIBRARY_PATH:$libraries/pulseaudio\""
            ;;
        clang) [ ! -x "$folder/usr/bin/gcc" ] || options=" --gcc-toolchain=$folder/usr -B$libraries" ;;
        esac
        if [[ $(head -c 64 "$real" | tr -d '\0' | head -n 1) == '#!'*python3* ]]; then
            options=" $real"
            real=$folder/bin/python3
        fi
        cat >"$made/$name" <<END
#!/bin/sh
export LD_LIBRARY_PATH="$libraries\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
export LIBRARY_PATH="$libraries\${LIBRARY_PATH:+:\$LIBRARY_PATH}" LD_RUN_PATH="$libraries"
export C_INCLUDE_PATH="\${C_INCLUDE_PATH:+\$C_INCLUDE_PATH:}${libraries/usr\/lib/usr\/include}:$folder/usr/include"
export CPLUS_INCLUDE_PATH="\${CPLUS_INCLUDE_PATH:+\$CPLUS_INCLUDE_PATH:}${libraries/usr\/lib/usr\/include}:$folder/usr/include"
export PYTHONPATH="$folder/usr/lib/python3/dist-packages\${PYTHONPATH:+:\$PYTHONPATH}"
${variable:+export $variable}
exec "$real"$options "\$@"
END
        chmod +x "$made/$name"
    done
    mv -f "$made"/* "$folder/bin/" && rm -r "${made:?}"
}
