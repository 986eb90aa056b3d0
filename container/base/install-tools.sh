#!/bin/sh
# Runs inside the image build, as root: makes sure that the tools of the agent image are there.
# Glovebox's own base has them all; a public Node image gets them from its distribution's packages.
set -eu
host=/tmp/glovebox-host

complete() {
  for tool in tini git rg ssh; do command -v "$tool" >/dev/null || return 1; done
  [ -s /etc/ssl/certs/ca-certificates.crt ]
}

if ! complete; then
  if ! command -v apt-get >/dev/null; then
    echo 'install-tools: this base image lacks tini, git, rg, ssh or CA certificates, and has no apt-get to add them.' >&2
    exit 1
  fi
  set --
  [ ! -s "$host/fetch.conf" ] || export APT_CONFIG="$host/fetch.conf"
  [ ! -s "$host/ca.crt" ] || set -- -o "Acquire::https::CAInfo=$host/ca.crt"
  cp -a /etc/apt /tmp/apt-before
  # One "archive mirror" pair a line, such as "debian http://mirror.example/debian".
  if [ -s "$host/mirrors" ]; then
    while read -r archive mirror; do
      find /etc/apt -name '*.sources' -o -name 'sources.list' | while read -r file; do
        sed -i -E "s#https?://[a-z.]*(debian.org|ubuntu.com)/$archive/?(\$|[[:space:]])#$mirror\\2#" "$file"
      done
    done <"$host/mirrors"
  fi
  apt-get "$@" update
  DEBIAN_FRONTEND=noninteractive apt-get "$@" install -y --no-install-recommends \
    ca-certificates git openssh-client ripgrep tini
  rm -rf /etc/apt && mv /tmp/apt-before /etc/apt
  rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log
  complete || { echo 'install-tools: the packages were installed and a tool is still missing.' >&2; exit 1; }
fi
