#!/usr/bin/env bash
# Makes the root file system of Glovebox's base image from Debian (or Ubuntu) packages and a Node
# binary, for machines that reach a package mirror but no image registry.
#
#   build-base.sh NODE_BINARY OUTPUT.tar       as root, on Debian or Ubuntu, with mmdebstrap
#
# Suite, mirror, proxy and CA are the machine's own: whatever apt uses here is used, and none of it
# stays in the image.
set -euo pipefail
[ $# -eq 2 ] || { echo 'usage: build-base.sh NODE_BINARY OUTPUT.tar' >&2; exit 64; }
node=$1 output=$2

# What the Dockerfile asks for, and the one library of Node that is not essential in Debian.
packages=ca-certificates,git,ripgrep,tini,openssh-client,libstdc++6

# shellcheck disable=SC1091
. /etc/os-release
suite=${VERSION_CODENAME:?this machine names no suite in /etc/os-release}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# apt's own unprivileged user has to read the keys.
chmod 0755 "$work"

# Only the distribution's own archives, in the spelling apt has already resolved; third-party
# sources of the machine have no business in the image.
list_sources() {
  apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT) #$(ORIGIN)' \
    'Created-By: Packages' | sed -n -E 's/ #(Debian|Ubuntu|Raspbian)$//p' | sort -u
}
list_sources >"$work/sources.list"
if [ ! -s "$work/sources.list" ]; then # never updated on this machine
  apt-get update -qq
  list_sources >"$work/sources.list"
fi
[ -s "$work/sources.list" ] || {
  echo 'build-base: apt knows no package source of this distribution.' >&2
  exit 69
}

# The keys this machine trusts for every source, and the distribution's own. Newer releases keep the
# latter only where a source names them.
mkdir "$work/keys"
find /etc/apt/trusted.gpg.d /usr/share/keyrings -maxdepth 1 \
  \( -path '/etc/apt/*' -o -name '*-archive-*keyring*' \) \
  \( -name '*.gpg' -o -name '*.asc' \) -exec cp {} "$work/keys/" \; 2>/dev/null || true
chmod -R a+rX "$work/keys"

# Proxy, certificates, retries, date checks: everything apt was told about fetching here. Index
# targets are left out, since they name further downloads and not how to download.
apt-config dump | grep -E '^Acquire::' | grep -vE '^Acquire::(IndexTargets|Changelogs)' >"$work/fetch.conf"
chmod 0600 "$work/fetch.conf" # a proxy's password may be in it
for name in auth.conf auth.conf.d; do
  [ -e "/etc/apt/$name" ] || continue
  case $name in
    auth.conf) echo 'Dir::Etc::netrc "/etc/apt/auth.conf";' ;;
    *) echo 'Dir::Etc::netrcparts "/etc/apt/auth.conf.d";' ;;
  esac >>"$work/fetch.conf"
done
echo 'Acquire::Languages "none";' >>"$work/fetch.conf"

# `essential` leaves apt itself out of the image. Device nodes are left out because an unprivileged
# engine could not make them; engines mount their own /dev.
mmdebstrap --quiet --mode=root --variant=essential --format=tar --skip=output/dev \
  --keyring="$work/keys" \
  --include="$packages" --aptopt="$work/fetch.conf" \
  --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/info/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' \
  --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --customize-hook="install -D -m 0755 '$node' \"\$1/usr/local/bin/node\"" \
  --customize-hook='rm -f "$1"/etc/apt/apt.conf.d/99mmdebstrap "$1"/etc/apt/sources.list' \
  --customize-hook='rm -rf "$1"/var/cache/* "$1"/var/log/* "$1"/var/lib/apt "$1"/usr/share/bash-completion' \
  "$suite" "$output" - <"$work/sources.list"
