/** What the three policy files may say. Version 1. */
import { z } from 'zod'

import { Cidr, EgressDeny, EgressRule, GatewayPreset } from '../../egress-proxy/policy.ts'
import { DEVCONTAINER, PINNED_IMAGE } from '../images/pinned-image.ts'
import { EGRESS_PRESET_NAMES } from './egress-presets.ts'

const AgentId = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'an agent name, such as bundled')

const ProviderId = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'a provider name in lower case, such as anthropic')

/** `https://host/base/path`; a query, a fragment or user info would end up in every request. */
const BaseUrl = z
  .url({ protocol: /^https?$/, error: 'an http or https URL' })
  .max(1024)
  .refine((text) => !/[?#]/.test(text), 'a URL without query and fragment')
  .refine(withoutUser, 'a URL without user name and password')

/** One model provider; only `preset` and `base_url` are needed for a new one. */
export const ProviderConfig = z.strictObject({
  /** The API it speaks. */
  preset: GatewayPreset.optional(),
  base_url: BaseUrl.optional(),
  /** The launcher's environment variable that holds the key. */
  key_env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'the name of an environment variable')
    .optional(),
  /** An absolute path of a file that only its owner can read. Wins over `key_env`. */
  key_file: z.string().startsWith('/', 'an absolute path').max(4096).optional(),
  /** The model that is used when none is chosen. */
  model: z.string().min(1).max(256).optional(),
  /** Non-public ranges the host may resolve to; none by default. */
  allow_private: z.array(Cidr).max(100).optional(),
  /** DANGER: sends the key unencrypted to an `http:` URL. */
  insecure_http: z.boolean().optional(),
})

/** An image that can only be one: by digest, by id, or the one in the project's devcontainer.json. */
const PinnedImage = z
  .string()
  .regex(PINNED_IMAGE, 'name@sha256:…, sha256:… (an id of the engine), or devcontainer')

const Network = z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}$/, 'the name of a network')

/** Bounds of one session's proxy. */
const EgressLimits = z.strictObject({
  /** Connections from inside, idle ones included. */
  connections: z.int().min(1).max(65_535).optional(),
  /** CONNECT tunnels and WebSockets. */
  tunnels: z.int().min(1).max(65_535).optional(),
  /** Requests under way. */
  requests: z.int().min(1).max(65_535).optional(),
  /** Longest silence of a tunnel, in seconds. */
  tunnel_idle_s: z.int().min(1).max(86_400).optional(),
  /** Bytes of one tunnel, both ways together; unlimited when absent. */
  tunnel_bytes: z.int().min(1).optional(),
})

const Egress = z.strictObject({
  limits: EgressLimits.optional(),
  /** What the agent may reach besides its model provider. */
  rules: z
    .array(EgressRule)
    .max(1_000)
    .refine(uniqueIds, 'rules whose ids differ from each other')
    .optional(),
  /** Sets of rules for what tools need, such as `npm`: as if their rules stood in `rules`. */
  presets: z
    .array(z.enum(EGRESS_PRESET_NAMES, `expected one of ${EGRESS_PRESET_NAMES.join(', ')}`))
    .max(EGRESS_PRESET_NAMES.length)
    .refine((names) => new Set(names).size === names.length, 'presets that differ from each other')
    .optional(),
  /** What it may not reach even where a rule allows it. */
  deny: z.array(EgressDeny).max(1_000).optional(),
  /** Networks of the engine the proxy joins, to reach what is only there. */
  networks: z.array(Network).max(20).optional(),
})

const Limits = z.strictObject({
  /** Memory with swap, in MiB. */
  memory_mb: z.int().min(64).optional(),
  cpus: z.number().min(0.1).optional(),
  /** Processes and threads. */
  pids: z.int().min(16).optional(),
  /** Size of /tmp, in MiB. It counts as memory. */
  tmp_mb: z.int().min(1).optional(),
  /** Size of the agent's home, in MiB. It counts as memory. */
  home_mb: z.int().min(1).optional(),
  /** Open files of one process. */
  nofile: z.int().min(256).optional(),
})

/** A file name, or a path of the project, with `*`, `?` and `**`. */
const Glob = z
  .string()
  .min(1)
  .max(256)
  .refine(
    (text) => !text.startsWith('/') && !text.includes('..'),
    'a name or a path of the project',
  )

const Globs = z.array(Glob).max(200)

/** The user's file, `$XDG_CONFIG_HOME/glovebox/config.json`. Every key but `version` may be absent. */
export const UserConfig = z.strictObject({
  $schema: z.string().optional(),
  version: z.literal(1),
  /** The agent that runs when the command line names none. */
  agent: AgentId.optional(),
  /** The agents that may run; all when absent. */
  agents: z.array(AgentId).optional(),
  model: z.string().min(1).max(256).optional(),
  /** The provider to use; the first with a key when absent. */
  provider: ProviderId.optional(),
  providers: z.record(ProviderId, ProviderConfig).optional(),
  egress: Egress.optional(),
  limits: Limits.optional(),
  /** The image agents run on, in place of Glovebox's own; `glovebox build AGENT --image` makes it ready. */
  image: z.union([z.literal(DEVCONTAINER), PinnedImage]).optional(),
  /** The images that agents may run on besides Glovebox's own; all when absent. */
  images: z.array(PinnedImage).max(1_000).optional(),
  /** Secret files besides the usual ones: they read as empty for the agent unless git tracks them. */
  mask: Globs.optional(),
  /** What is no secret although its name looks like one. */
  unmask: Globs.optional(),
  /** What programs of the host read by themselves, besides the usual: an agent cannot change it. */
  protect: Globs.optional(),
  /** What happens to such files when an agent writes new ones: `quarantine` (the default) or `report`. */
  planted: z.enum(['quarantine', 'report']).optional(),
  /** Whether the agent may change the project. */
  project: z.enum(['read-write', 'read-only']).optional(),
  /** Whether sessions outlive their containers: a volume of the project (the default), or nothing. */
  state: z.enum(['project', 'ephemeral']).optional(),
  /** Limits the engine does not enforce: `refuse` to start, or `tell` (the default). */
  unenforced_limits: z.enum(['refuse', 'tell']).optional(),
})

/** The administrator's file, `/etc/glovebox/policy.json`: no personal choices. */
export const AdminPolicy = UserConfig.omit({
  agent: true,
  image: true,
  model: true,
  provider: true,
  unmask: true,
}).extend({
  providers: z
    .record(ProviderId, ProviderConfig.omit({ key_env: true, key_file: true, model: true }))
    .optional(),
})

/** The project's file, `<project>/.glovebox.json`: only what takes away. */
export const ProjectPolicy = UserConfig.pick({
  $schema: true,
  version: true,
  agents: true,
  images: true,
  limits: true,
  mask: true,
  planted: true,
  project: true,
  protect: true,
  state: true,
  unenforced_limits: true,
}).extend({ egress: Egress.omit({ networks: true }).optional() })

export type ProviderConfig = z.infer<typeof ProviderConfig>
export type UserConfig = z.infer<typeof UserConfig>
export type AdminPolicy = z.infer<typeof AdminPolicy>
export type ProjectPolicy = z.infer<typeof ProjectPolicy>

function withoutUser(text: string): boolean {
  const url = URL.parse(text)
  return url === null || (url.username === '' && url.password === '')
}

function uniqueIds(rules: { id: string }[]): boolean {
  return new Set(rules.map(({ id }) => id)).size === rules.length
}
