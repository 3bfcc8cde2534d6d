# What packaging/start and packaging/test share: everything between a bare machine and a working .venv.
# Sourced, not run. POSIX sh. Speaks to stderr only, because stdout belongs to what is started afterwards.
#
#   prepare start   system libraries, .venv from requirements.lock, the project in it
#   prepare test    the same from requirements-dev.lock, with what the tests need besides
#
# A set-up that is complete leaves a stamp in .venv, and the next one only compares it. While one is under way,
# .venv/.unfinished lies there: whoever finds it knows that the set-up was interrupted and makes .venv anew.

say() { printf 'counterfoil: %s\n' "$*" >&2; }

die() {
  say "$1"
  shift
  for line in "$@"; do printf '  %s\n' "$line" >&2; done
  exit 1
}

# One line for each thing the system must have: how it is seen, then its package for apt, dnf and pacman.
# lib: a shared library that the dynamic linker knows. file: a file that is there. Qt cannot be imported without the first six.
needs() {
  cat <<'TABLE'
lib  libGL.so.1             libgl1               libglvnd-glx       libglvnd
lib  libEGL.so.1            libegl1              libglvnd-egl       libglvnd
lib  libdbus-1.so.3         libdbus-1-3          dbus-libs          dbus
lib  libxkbcommon.so.0      libxkbcommon0        libxkbcommon       libxkbcommon
lib  libfontconfig.so.1     libfontconfig1       fontconfig         fontconfig
lib  libglib-2.0.so.0       libglib2.0-0         glib2              glib2
lib  libxcb-cursor.so.0     libxcb-cursor0       xcb-util-cursor    xcb-util-cursor
lib  libxcb-icccm.so.4      libxcb-icccm4        xcb-util-wm        xcb-util-wm
lib  libxcb-keysyms.so.1    libxcb-keysyms1      xcb-util-keysyms   xcb-util-keysyms
lib  libxcb-shape.so.0      libxcb-shape0        libxcb             libxcb
lib  libxcb-xkb.so.1        libxcb-xkb1          libxcb             libxcb
lib  libxkbcommon-x11.so.0  libxkbcommon-x11-0   libxkbcommon-x11   libxkbcommon-x11
TABLE
  # Debian's pip trusts the system's certificates and none of its own.
  if [ "$system" = apt ]; then echo 'file /etc/ssl/certs/ca-certificates.crt ca-certificates - -'; fi
}

# The package tool of this machine: apt, dnf, pacman, brew, or none that is known.
find_system() {
  system=none
  if [ "$(uname -s)" = Darwin ]; then
    system=brew
  else
    for tool in apt-get dnf pacman; do
      if command -v "$tool" >/dev/null 2>&1; then
        system=${tool%-get}
        return
      fi
    done
  fi
}

# Prints the packages of this system that hold what is missing, one a line.
missing_packages() {
  [ "$system" = brew ] && return
  PATH="$PATH:/usr/sbin:/sbin" ldconfig -p 2>/dev/null | sed -n 's/^[[:space:]]*\([^ ]*\) .*/\1/p' | sort -u >"$scratch/libraries" || :
  needs | while read -r how what apt dnf pacman; do
    case $how in
      lib) grep -qxF -e "$what" "$scratch/libraries" && continue ;;
      file) [ -e "$what" ] && continue ;;
    esac
    case $system in
      apt) echo "$apt" ;;
      dnf) echo "$dnf" ;;
      pacman) echo "$pacman" ;;
      *) echo "$what" ;;
    esac
  done | sort -u
}

# Sets python to an interpreter that is new enough and complete, or to nothing.
find_python() {
  for python in python3.13 python3.12 python3.11 python3 python3.14; do
    if command -v "$python" >/dev/null 2>&1 && "$python" -c '
import ensurepip, sqlite3, ssl, sys, venv
sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
      return
    fi
  done
  python=
}

# usage: apt_install PACKAGE...   As root, through sudo, or not at all but with the command to give.
apt_install() {
  install="apt-get install -y --no-install-recommends $*"
  if [ "$(id -u)" = 0 ]; then
    as_root="env"
    say "installing system packages with apt-get: $*"
  elif command -v sudo >/dev/null 2>&1; then
    as_root='sudo env'
    say "installing system packages with sudo apt-get (sudo may ask for your password): $*"
  else
    die 'system packages are missing, and there is no sudo to install them with; run this as root, then try again:' \
      "apt-get update && $install"
  fi
  # Descriptor 9 is the lock of the set-up: a service that a package starts must not hold it.
  for step in update "install -y --no-install-recommends $*"; do
    # shellcheck disable=SC2086  # as_root and step are words on purpose
    $as_root DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=l apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 \
      $step </dev/null >"$scratch/apt" 2>&1 9<&- || {
      cat "$scratch/apt" >&2
      die "apt-get ${step%% *} failed (its own words are above); when that is mended, run this as root and try again:" \
        "apt-get update && $install"
    }
  done
}

# Elsewhere than on Debian and its kin nothing is installed: what is missing is named with the command that brings it.
name_missing() {
  case $system in
    dnf) die 'something is missing on this system; install it, then try again:' "sudo dnf install $*" ;;
    pacman) die 'something is missing on this system; install it, then try again:' "sudo pacman -S --needed $*" ;;
    brew) die 'something is missing on this system; install it, then try again:' "brew install $*" ;;
    *) die 'something is missing on this system; install it with its package tool, then try again:' "$*" ;;
  esac
}

# Bubblewrap isolates what templates run. Everything works without it, less safely, and `counterfoil doctor` says so: it is
# installed where that needs no password, and nothing fails for the want of it.
wish_for_bubblewrap() {
  [ -e /usr/bin/bwrap ] || [ "$system" = brew ] && return 0
  if [ "$system" = apt ] && [ "$(id -u)" = 0 ]; then
    say 'installing bubblewrap, which isolates what templates run'
    for step in update 'install -y --no-install-recommends bubblewrap'; do
      # shellcheck disable=SC2086  # step is words on purpose
      env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=l apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 \
        $step </dev/null >"$scratch/apt" 2>&1 9<&- || break
    done
  fi
  [ -e /usr/bin/bwrap ] || say 'bubblewrap is not installed: what templates run is protected less; see counterfoil doctor'
}

python_package() {
  case $system in
    apt) echo python3 python3-venv ;;
    dnf) echo python3.13 ;;
    pacman) echo python ;;
    brew) echo python@3.13 ;;
    *) echo 'Python 3.11 or newer with venv' ;;
  esac
}

prepare_system() {
  find_system
  find_python
  missing=$(missing_packages)
  [ -n "$python" ] || missing="$(python_package) $missing"
  # shellcheck disable=SC2086  # a list of words
  set -- $missing
  if [ $# = 0 ]; then
    wish_for_bubblewrap
    return 0
  fi
  [ "$system" = apt ] || name_missing "$@"
  apt_install "$@"
  wish_for_bubblewrap
  find_python
  [ -n "$python" ] || die \
    "Counterfoil needs Python 3.11 or newer, and this system's own is $(python3 -V 2>&1 | sed 's/Python //')." \
    'Install a newer one beside it, so that the command python3.11, python3.12 or python3.13 is found and can make a venv,' \
    'then try again. Debian 12 and Ubuntu 24.04 and their successors have it as python3 and python3-venv.'
}

prepare_venv() {
  if [ -e .venv/.unfinished ]; then
    say 'an earlier set-up was interrupted; making .venv anew'
    rm -rf .venv
  elif [ -e .venv ] && ! .venv/bin/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
    say '.venv does not work on this machine; making it anew'
    rm -rf .venv
  fi
  mkdir -p .venv
  : >.venv/.unfinished
  rm -f .venv/.prepared-*
  if [ ! -x .venv/bin/python ]; then
    say "making .venv with $("$python" -V)"
    "$python" -m venv .venv >&2
  fi
  say "installing $(grep -c '==' "$lock") Python packages from $lock into .venv"
  .venv/bin/python -m pip install --quiet --quiet --no-input --disable-pip-version-check --progress-bar off \
    --only-binary :all: --require-hashes --no-deps --no-compile -r "$lock" >&2 </dev/null ||
    die 'pip could not install the locked packages (its own words are above).' \
      "Once the cause is mended (often the network or a full disk), run packaging/$kind again; it starts afresh."
  # On all cores at once, where pip would take one; a package may hold files for other releases of Python.
  .venv/bin/python -m compileall -q -q -j 0 .venv/lib >/dev/null 2>&1 </dev/null || :
  install_project
}

# The project is not copied into .venv but read where it lies, so a change in the checkout needs no second set-up.
install_project() {
  site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  printf '%s\n' "$checkout/app" >"$site/counterfoil.pth"
  quoted=$(printf '%s\n' "$checkout/.venv/bin/python" | sed "s/'/'\\\\''/g")
  # -P: the folder a person stands in is their workspace and holds no modules of ours.
  printf '#!/bin/sh\nexec '\''%s'\'' -P -m counterfoil "$@"\n' "$quoted" >.venv/bin/counterfoil
  chmod +x .venv/bin/counterfoil
}

# What must not have changed since the set-up: this script, the lock, the interpreter, the place of the checkout.
stamp() {
  cksum packaging/setup.sh "$lock"
  .venv/bin/python -V 2>&1
  echo "$checkout"
}

is_prepared() {
  [ ! -e .venv/.unfinished ] && [ -f ".venv/.prepared-$kind" ] && [ "$(stamp)" = "$(cat ".venv/.prepared-$kind")" ]
}

lock_of() {
  case $1 in
    test) echo packaging/requirements-dev.lock ;;
    *) echo packaging/requirements.lock ;;
  esac
}

# usage: prepare start|test   Must be called in the root of the checkout.
prepare() {
  kind=$1
  checkout=$(pwd -P)
  lock=$(lock_of "$kind")
  is_prepared && return
  # Two set-ups at once would tear at one .venv. Where there is no flock the second is the user's own lookout.
  exec 9<packaging/setup.sh
  if command -v flock >/dev/null 2>&1 && ! flock -n 9; then
    say 'another set-up is under way in this checkout; waiting for it'
    flock 9
  fi
  if ! is_prepared; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    trap 'exit 130' HUP INT TERM
    prepare_system
    prepare_venv
    stamp >".venv/.prepared-$kind"
    # The packages of the tests include those of the program, at the same releases.
    [ "$kind" = start ] || (lock=$(lock_of start) && stamp >.venv/.prepared-start)
    rm .venv/.unfinished
    rm -rf "$scratch"
    trap - EXIT HUP INT TERM
    say 'set-up complete'
  fi
  exec 9<&-
}
