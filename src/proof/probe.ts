/**
 * A look around in any container that has a POSIX shell: what is asked there, as text for `sh`. It
 * changes nothing, sends nothing anywhere and leaves nothing behind, since it may be run anywhere: an
 * empty file is made and removed to see where writing works, and that is all.
 */

export type ProbeQuestions = {
  /** The project's path inside. */
  project: string
  /** Paths of the host that must not be there. */
  hostPaths: string[]
  /** A real secret, which no process may have in its environment. Harmless text, made for this. */
  canary: string
}

/** What the probe said: name → the words found. */
export type ProbeAnswers = ReadonlyMap<string, string>

/** The first line the probe prints; what a container says before it is left out. */
const START = 'glovebox-probe'

export function parseProbe(text: string): ProbeAnswers {
  const lines = text.split('\n')
  const start = lines.lastIndexOf(START)
  const answers = new Map<string, string>()
  if (start === -1) return answers
  for (const line of lines.slice(start + 1)) {
    const at = line.indexOf('=')
    if (at > 0) answers.set(line.slice(0, at), line.slice(at + 1).trim())
  }
  return answers
}

export function probeScript(questions: ProbeQuestions): string {
  return [TOOLS, `echo ${START}`, WHO, files(questions), kernel(questions), 'say end yes', ''].join(
    '\n',
  )
}

/** `say name value`, and ways to find one. */
const TOOLS = `PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/glovebox/bin
exec 2>/dev/null
say() { printf '%s=%s\\n' "$1" "$2"; }
one() { tr '\\n' ' '; }
field() { sed -n "s/^$1:[[:space:]]*//p" "$2" | head -n 1 | one; }
every() { cat /proc/[0-9]*/status | awk -v f="$1:" '$1 == f { print $2 }' | sort -u | one; }
writes() { if (: >"$1/.glovebox-probe"); then rm -f "$1/.glovebox-probe"; say "$2" written; else say "$2" refused; fi; }
reads() { if [ -e "$1" ] && [ -n "$(head -c 1 "$1" | tr '\\0' x)" ]; then say "$2" readable; else say "$2" closed; fi; }
there() { if [ -e "$1" ] || [ -L "$1" ]; then say "$2" there; else say "$2" absent; fi; }
option() { [ -e "$1" ] && say "$2" "$(awk -v p="$1" '$2 == p { print $4 }' /proc/self/mounts | tail -n 1)"; }
try() { name=$1; shift; if command -v "$1" >/dev/null; then if "$@" >/dev/null; then say "$name" worked; else say "$name" refused; fi; else say "$name" no-tool; fi; }
limit() { for f in "$2" "$3"; do [ -r "$f" ] && { say "$1" "$(head -n 1 "$f")"; return; }; done; say "$1" unknown; }`

/** The network, the rights and the processes. */
const WHO = `say net.interfaces "$(ls /sys/class/net | one)"
say net.routes "$(sed 1d /proc/net/route | awk '{ print $2 "/" $8 }' | one)"
say net.routes6 "$(awk '$NF != "lo" { print $1 }' /proc/net/ipv6_route | one)"
say net.resolvers "$(awk '$1 == "nameserver" { print $2 }' /etc/resolv.conf | one)"
say net.addresses "$(awk '/32 host/ { print f } { f = $2 }' /proc/net/fib_trie | sort -u | one)"
say net.abstract "$(awk '$8 ~ /^@/ { print $8 }' /proc/net/unix | sort -u | one)"
for c in CapInh CapPrm CapEff CapBnd CapAmb; do say "caps.$c" "$(field $c /proc/self/status)"; done
say caps.all "$(every CapEff)"
say caps.bounding "$(every CapBnd)"
say nnp.self "$(field NoNewPrivs /proc/self/status)"
say nnp.all "$(every NoNewPrivs)"
say seccomp.self "$(field Seccomp /proc/self/status)"
say seccomp.all "$(every Seccomp)"
say user.uid "$(id -u)"
say user.gid "$(id -g)"
say user.groups "$(id -G)"
say user.all "$(every Uid)"
say pid.one "$(cat /proc/1/comm)"
say pid.count "$(ls -d /proc/[0-9]* | wc -l)"
reads /proc/1/environ pid.environ
reads /proc/1/mem pid.memory
try pid.trace-exe readlink /proc/1/exe`

const files = ({ project }: ProbeQuestions): string => `writes / write.root
for d in bin etc lib opt root sbin usr var usr/bin etc/ssl; do [ -d /$d ] && writes /$d "write.$d"; done
writes '${quoted(project)}' write.project
writes /tmp write.tmp
writes "$HOME" write.home
option / option.root
option /tmp option.tmp
option "$HOME" option.home
option /dev/shm option.shm
option /proc/sys option.proc-sys
option /proc/sysrq-trigger option.sysrq
option /proc/irq option.irq
option /proc/bus option.bus
option /sys option.sys
say option.cgroup "$(awk '$3 ~ /^cgroup/ { print $4 }' /proc/self/mounts | head -n 1)"`

const kernel = ({
  hostPaths,
  canary,
}: ProbeQuestions): string => `for f in kcore keys timer_list latency_stats sched_debug; do reads /proc/$f "masked.$f"; done
say masked.firmware "$(ls /sys/firmware | one)"
say masked.scsi "$(ls /proc/scsi | one)"
say masked.acpi "$(ls /proc/acpi | one)"
say device.block "$(ls -l /dev | awk '/^b/ { print $NF }' | one)"
for f in mem kmsg fuse kvm port net/tun; do there /dev/$f "device.$f"; done
say mounts "$(awk '{ fs = ""; for (i = 7; i <= NF; i++) if ($i == "-") fs = $(i + 1); if (!($4 == "/" && (fs == "tmpfs" || fs == "proc" || fs == "sysfs" || fs == "devpts" || fs == "mqueue" || fs ~ /^cgroup/)) && $5 !~ /^\\/(proc|sys|dev)(\\/|$)/) print $5 }' /proc/self/mountinfo | sort -u | one)"
say socket.engine "$(for f in /var/run/docker.sock /run/docker.sock /run/podman/podman.sock /run/containerd/containerd.sock; do [ -e $f ] && echo $f; done | one)"
${hostPaths.map((path, index) => `there '${quoted(path)}' host.${index}`).join('\n')}
say host.name "$(cat /proc/sys/kernel/hostname)"
say ipc.shm "$(sed 1d /proc/sysvipc/shm | wc -l)"
say ipc.msg "$(sed 1d /proc/sysvipc/msg | wc -l)"
say limit.nofile "$(ulimit -n)"
say limit.core "$(ulimit -c)"
limit limit.memory /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes
limit limit.pids /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max
limit limit.cpu /sys/fs/cgroup/cpu.max /sys/fs/cgroup/cpu/cpu.cfs_quota_us
try userns unshare -U true
try mountns unshare -m true
say key.environment "$(cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c '${quoted(canary)}')"`

/** For the inside of single quotes. */
const quoted = (text: string): string => text.replaceAll("'", `'\\''`)
