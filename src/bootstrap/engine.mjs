/** An engine that answers; on Debian and Ubuntu, for root, one is set up when there is none. */
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import { namedCandidate } from '../docker/candidates.ts'
import { findEngine } from '../docker/find.ts'
import { aptInstall } from './apt.mjs'
import { startPrivateEngine } from './private-engine.mjs'
import { which } from './run.mjs'
import { step } from './steps.mjs'

/** Milliseconds a freshly installed service may take to answer. */
const SERVICE_BOUND = 15_000

/**
 * 1. An engine that answers is used as it is.
 * 2. One that the user named and that does not answer, or may not be used, is the user's to mend.
 * 3. As root on Debian or Ubuntu: docker.io is installed, and its service used when it answers.
 * 4. Otherwise an engine of our own is started beside the checkout.
 */
export async function findOrSetUpEngine(root) {
  try {
    return await findEngine(process.env)
  } catch (error) {
    const named = await namedCandidate(process.env)
    if (error.code !== 'engine_missing' || named !== undefined || !maySetUp()) throw error
  }
  step('No Docker or Podman engine answers: setting one up')
  const service = await installDocker()
  if (service !== undefined) return service
  const socket = await startPrivateEngine(root)
  return await findEngine({ ...process.env, DOCKER_HOST: `unix://${socket}` })
}

const maySetUp = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

/** The engine of docker.io's own service, when the package had to be installed and it answers. */
async function installDocker() {
  const missing = [
    ...(which('dockerd') === undefined || which('containerd') === undefined ? ['docker.io'] : []),
    ...(which('iptables') === undefined ? ['iptables'] : []),
    ...(which('ip') === undefined ? ['iproute2'] : []),
  ]
  if (missing.length === 0) return undefined
  await aptInstall(missing)
  // Containers and images of machines often forbid packages to start services.
  const bound = existsSync('/run/systemd/system') ? SERVICE_BOUND : 1_000
  for (const end = Date.now() + bound; Date.now() < end; await sleep(250)) {
    const engine = await findEngine(process.env).catch(() => undefined)
    if (engine !== undefined) return engine
  }
  return undefined
}
