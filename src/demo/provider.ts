/** Which model the demo uses: the user's own when a key is in the environment, else the demo model. */
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Engine } from '../docker/engine.ts'
import type { UserConfig } from '../policy/schema.ts'
import { Secret } from '../secret.ts'
import { statePaths } from '../state.ts'
import { MODEL_NETWORK, startDemoModel } from './model.ts'
import type { DemoModel } from './model.ts'
import type { Workspace } from './workspace.ts'

type Env = Record<string, string | undefined>

export type Provider = AsyncDisposable & {
  /** For `glovebox acp`. */
  env: Env
  /** The real keys. */
  keys: string[]
  /** `undefined` when the model is the user's own. */
  model: DemoModel | undefined
  /** For the user. */
  told: string
}

/** Errors: those of `startDemoModel`. */
export async function chooseProvider(
  engine: Engine,
  workspace: Workspace,
  env: Env,
): Promise<Provider> {
  const own = ownModel(env)
  if (own === undefined) return demoProvider(engine, workspace, env)
  const configuration = ownConfiguration(own)
  return {
    env:
      configuration === undefined
        ? env
        : await withConfiguration(env, workspace.secret, configuration),
    keys: [own.key],
    model: undefined,
    told: `yours: ${own.id}, with the key in your environment`,
    async [Symbol.asyncDispose]() {},
  }
}

async function demoProvider(engine: Engine, workspace: Workspace, env: Env): Promise<Provider> {
  const key = `demo-${randomBytes(24).toString('base64url')}`
  const keyFile = join(workspace.secret, 'key')
  await writeFile(keyFile, `${key}\n`, { mode: 0o600 })
  const model = await startDemoModel(engine, statePaths(env).lock, new Secret(key))
  const configuration = demoConfiguration(model, keyFile)
  return {
    env: await withConfiguration(env, workspace.secret, configuration),
    keys: [key],
    model,
    told: `the demo model (rules, no language model), in its own container at ${model.baseUrl}`,
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  }
}

export type OwnModel = { id: 'anthropic' | 'openai'; key: string; baseUrl: string | undefined }

/** Anthropic is taken first when both have a key. */
export function ownModel(env: Env): OwnModel | undefined {
  for (const id of ['anthropic', 'openai'] as const) {
    const name = id.toUpperCase()
    const key = env[`${name}_API_KEY`] ?? ''
    if (key !== '') return { id, key, baseUrl: env[`${name}_BASE_URL`] }
  }
  return undefined
}

/** The configuration for a model of the user's own that is not at its usual address. */
export function ownConfiguration({ id, baseUrl }: OwnModel): UserConfig | undefined {
  if (baseUrl === undefined || baseUrl === '') return undefined
  const key_env = `${id.toUpperCase()}_API_KEY`
  // OPENAI_BASE_URL ends with /v1 by custom, ANTHROPIC_BASE_URL does not; ours never does.
  const base_url = baseUrl.replace(/(?:\/v1)?\/*$/, '')
  return { version: 1, provider: id, providers: { [id]: { preset: id, base_url, key_env } } }
}

/** The one rule by which the gateway reaches the demo model. */
export function demoConfiguration(
  model: Pick<DemoModel, 'address' | 'baseUrl'>,
  keyFile: string,
): UserConfig {
  return {
    version: 1,
    provider: 'demo',
    model: 'glovebox-demo',
    providers: {
      demo: {
        preset: 'anthropic',
        base_url: model.baseUrl,
        key_file: keyFile,
        insecure_http: true,
        allow_private: [`${model.address}/32`],
      },
    },
    egress: { networks: [MODEL_NETWORK] },
  }
}

/** Writes a configuration that only the demo uses, and returns the environment that names it. */
export async function withConfiguration(
  env: Env,
  folder: string,
  configuration: UserConfig,
): Promise<Env> {
  const home = join(folder, 'config')
  await mkdir(join(home, 'glovebox'), { recursive: true, mode: 0o700 })
  const text = `${JSON.stringify(configuration, undefined, 2)}\n`
  await writeFile(join(home, 'glovebox/config.json'), text, { mode: 0o600 })
  return { ...env, XDG_CONFIG_HOME: home }
}
