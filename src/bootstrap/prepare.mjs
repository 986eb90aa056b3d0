/** Under the pinned Node: bundles, an engine, images. */
import { bundle } from './bundle.mjs'
import { findOrSetUpEngine } from './engine.mjs'
import { step } from './steps.mjs'

/** Resolves with the engine (src/docker/engine.ts). `what` is a word of `glovebox build`. */
export async function prepare(root, what) {
  await bundle(root)
  const engine = await findOrSetUpEngine(root)
  await prepareImages(engine, what)
  return engine
}

/** Builds and pins the images behind these words of `glovebox build`. */
export async function prepareImages(engine, ...words) {
  const [{ buildImages }, { BUILDABLE }, { pinImages }] = await Promise.all([
    import('../images/build.ts'),
    import('../images/catalogue.ts'),
    import('../images/pin.ts'),
  ])
  const { env } = process
  const base = env.BASE_IMAGE || undefined
  const roles = [...new Set(words.flatMap((word) => BUILDABLE[word]))]
  const images = await buildImages(engine, roles, { base, env, onStep: step })
  await pinImages(env, engine.info.uri, images)
}
