/**
 * Sets of egress rules for what developers' tools need, by name. Exact names only: whoever can put a
 * host under a wildcard could receive data. Each host says what it is there for. Pure.
 */
import type { EgressRule } from '../../egress-proxy/policy.ts'

type PresetHost = {
  host: string
  /** `tls` on 443 when absent. */
  via?: { port: number; protocol: 'http' | 'tcp' }
  why: string
}

const WEB = { port: 80, protocol: 'http' } as const
const SSH = { port: 22, protocol: 'tcp' } as const
const SSH_443 = { port: 443, protocol: 'tcp' } as const

const APT = 'packages for apt, which checks their signatures itself; plain HTTP, GET and HEAD only'

const EGRESS_PRESETS = {
  npm: [{ host: 'registry.npmjs.org', why: 'package metadata, archives and audit reports' }],
  pypi: [
    { host: 'pypi.org', why: 'the package index' },
    { host: 'files.pythonhosted.org', why: 'the archives that the index links to' },
  ],
  crates: [
    { host: 'index.crates.io', why: 'the sparse index' },
    { host: 'static.crates.io', why: 'the crate files' },
    { host: 'crates.io', why: 'the API behind cargo search, and the download links' },
  ],
  go: [
    { host: 'proxy.golang.org', why: 'modules and toolchains' },
    { host: 'sum.golang.org', why: 'the checksum database; without it go refuses modules' },
  ],
  maven: [
    { host: 'repo.maven.apache.org', why: 'Maven Central, as Maven names it' },
    { host: 'repo1.maven.org', why: 'Maven Central, as Gradle and others name it' },
  ],
  debian: [
    { host: 'deb.debian.org', via: WEB, why: APT },
    { host: 'deb.debian.org', why: 'the same over HTTPS' },
    { host: 'security.debian.org', via: WEB, why: 'security updates, likewise' },
  ],
  ubuntu: [
    { host: 'archive.ubuntu.com', via: WEB, why: APT },
    { host: 'security.ubuntu.com', via: WEB, why: 'security updates, likewise' },
    { host: 'ports.ubuntu.com', via: WEB, why: 'the same for arm64' },
  ],
  github: [
    { host: 'github.com', why: 'git over HTTPS, and links to releases' },
    { host: 'api.github.com', why: 'the API, which the gh tool and installers ask' },
    { host: 'codeload.github.com', why: 'archives of a commit or tag' },
    { host: 'raw.githubusercontent.com', why: 'single files' },
    { host: 'objects.githubusercontent.com', why: 'release files and git LFS' },
    { host: 'release-assets.githubusercontent.com', why: 'release files' },
  ],
  'github-ssh': [
    { host: 'github.com', via: SSH, why: 'git over SSH, which the border cannot look into' },
    { host: 'ssh.github.com', via: SSH_443, why: 'the same on port 443' },
  ],
  gitlab: [{ host: 'gitlab.com', why: 'git over HTTPS, the API, archives and git LFS' }],
  'gitlab-ssh': [
    { host: 'gitlab.com', via: SSH, why: 'git over SSH, which the border cannot look into' },
    { host: 'altssh.gitlab.com', via: SSH_443, why: 'the same on port 443' },
  ],
  'docker-hub': [
    { host: 'registry-1.docker.io', why: 'manifests' },
    { host: 'auth.docker.io', why: 'the token that the registry asks for, also anonymously' },
    { host: 'production.cloudflare.docker.com', why: 'layers' },
    { host: 'production.cloudfront.docker.com', why: 'layers' },
    {
      host: 'docker-images-prod.6aa30f8b08e16409b46e0173d6de2f56.r2.cloudflarestorage.com',
      why: 'layers',
    },
  ],
  ghcr: [
    { host: 'ghcr.io', why: 'manifests and tokens' },
    { host: 'pkg-containers.githubusercontent.com', why: 'layers' },
  ],
  quay: [
    { host: 'quay.io', why: 'manifests and tokens' },
    ...['cdn', 'cdn01', 'cdn02', 'cdn03', 'cdn04', 'cdn05', 'cdn06'].map((name) => ({
      host: `${name}.quay.io`,
      why: 'layers',
    })),
  ],
  'gitlab-registry': [
    { host: 'registry.gitlab.com', why: 'manifests' },
    { host: 'gitlab.com', why: 'the token that the registry asks for' },
    { host: 'cdn.registry.gitlab-static.net', why: 'layers' },
  ],
} as const satisfies Record<string, readonly PresetHost[]>

export type EgressPresetName = keyof typeof EGRESS_PRESETS

export const EGRESS_PRESET_NAMES = Object.keys(EGRESS_PRESETS).filter(isPresetName)

function isPresetName(name: string): name is EgressPresetName {
  return Object.hasOwn(EGRESS_PRESETS, name)
}

export function presetHosts(name: EgressPresetName): readonly PresetHost[] {
  return EGRESS_PRESETS[name]
}

/** A preset as rules. Their ids begin with `preset NAME: `. */
export function presetRules(name: EgressPresetName): EgressRule[] {
  return presetHosts(name).map(({ host, via }) => {
    const { port, protocol } = via ?? { port: 443, protocol: 'tls' as const }
    const reading = protocol === 'http' ? { methods: ['GET', 'HEAD'] } : {}
    return { id: `preset ${name}: ${host}:${port}`, host, ports: [port], protocol, ...reading }
  })
}

/** The rules of one layer with those of its presets; undefined when it names neither. */
export function rulesOf(
  egress: {
    rules?: EgressRule[] | undefined
    presets?: EgressPresetName[] | undefined
  } = {},
): EgressRule[] | undefined {
  const { rules, presets } = egress
  if (presets === undefined) return rules
  return [...(rules ?? []), ...presets.flatMap(presetRules)]
}
