/** `glovebox build`: brings the images up to date and pins them. */
import type { Engine, ImageFacts } from '../docker/engine.ts'
import { findEngine } from '../docker/find.ts'
import { EXIT, GloveboxError } from '../errors.ts'
import { loadArchive } from '../images/archive.ts'
import { buildToolchain } from '../images/build-toolchain.ts'
import { buildImages } from '../images/build.ts'
import { BUILDABLE, type Role, imageTag } from '../images/catalogue.ts'
import { pinImages, pinNamed } from '../images/pin.ts'
import { pinned, toolchainReference, toolchainRole } from '../images/toolchain.ts'
import { loadPolicy } from '../policy/load.ts'
import { statePaths } from '../state.ts'
import { parseArguments } from './arguments.ts'
import type { Io } from './io.ts'

const WHAT = Object.keys(BUILDABLE).join('|')
const USAGE = `glovebox build [${WHAT}…] [--from ARCHIVE | --base IMAGE] [--image IMAGE]`

/**
 * Says on stderr what it does, with the seconds since its start, and nothing when all is up to
 * date. Throws `usage`, `engine_missing`, `engine_denied`, `image_missing`, `build_failed`.
 */
export async function buildCommand(argv: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArguments(
    USAGE,
    argv,
    { from: { type: 'string' }, base: { type: 'string' }, image: { type: 'string' } },
    Object.keys(BUILDABLE).length,
  )
  const from = text(values['from'])
  const base = text(values['base']) ?? text(io.env['BASE_IMAGE'])
  if (from !== undefined && text(values['base']) !== undefined) {
    throw new GloveboxError('usage', 'An archive holds finished images: --from takes no --base.')
  }
  const roles = rolesOf(positionals)
  const onStep = stepPrinter(io)
  const engine = await findEngine(io.env)
  const images =
    from === undefined
      ? await buildImages(engine, roles, { base, env: io.env, onStep })
      : await loadArchive(engine, from, roles, onStep)
  await pinImages(io.env, engine.info.uri, images)
  if (from !== undefined) for (const [role, facts] of images) onStep(loaded(role, facts))
  await onOwnImage(engine, images, { named: text(values['image']), io, onStep })
  return EXIT.ok
}

type OwnImage = { named: string | undefined; io: Io; onStep: (line: string) => void }

/** The agents once more, on the image of the command line or of the configuration. */
async function onOwnImage(
  engine: Engine,
  images: Map<Role, ImageFacts>,
  { named, io, onStep }: OwnImage,
): Promise<void> {
  const image = named ?? loadPolicy(statePaths(io.env), undefined).image
  if (image === undefined) return
  const found = await toolchainReference(image, process.cwd())
  const reference = pinned(found, named === undefined ? 'the configuration' : 'the command line')
  const entries = []
  for (const [role, agent] of images) {
    if (!role.startsWith('agent-')) continue
    const build = { agent, role, reference, env: io.env, onStep }
    // oxlint-disable-next-line no-await-in-loop -- later images start from layers of earlier ones
    const { tag, facts } = await buildToolchain(engine, build)
    entries.push({ role: toolchainRole(role, reference), name: tag, id: facts.id })
  }
  await pinNamed(io.env, engine.info.uri, entries)
}

function rolesOf(words: string[]): Role[] {
  const chosen = words.length === 0 ? ['bundled'] : words
  const roles = chosen.flatMap((word) => {
    const found = BUILDABLE[word]
    if (found !== undefined) return found
    throw new GloveboxError(
      'usage',
      `There is nothing called ${JSON.stringify(word)} to build.`,
      `Usage: ${USAGE}`,
    )
  })
  return [...new Set(roles)]
}

/** `[ 12.3 s] Building …` */
function stepPrinter(io: Io): (line: string) => void {
  const start = performance.now()
  return (line) => {
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    io.stderr.write(`[${seconds.padStart(5)} s] ${line}\n`)
  }
}

const loaded = (role: Role, facts: ImageFacts): string =>
  `Loaded ${imageTag(role)} (${facts.id.slice(0, 19)})`

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
