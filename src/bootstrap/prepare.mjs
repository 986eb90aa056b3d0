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

export async function prepareImages(engine, what) {
  const [{ buildImages }, { BUILDABLE }, { pinImages }] = await Promise.all([
    import('../images/build.ts'),
    import('../images/catalogue.ts'),
    import('../images/pin.ts'),
  ])
  const { env } = process
  const base = env.BASE_IMAGE || undefined
  const images = await buildImages(engine, BUILDABLE[what], { base, env, onStep: step })
  await pinImages(env, engine.info.uri, images)
}
