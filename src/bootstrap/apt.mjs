import { run } from './run.mjs'
import { step } from './steps.mjs'

/** Installs Debian packages with the machine's own apt settings, and nothing they only recommend. */
export async function aptInstall(packages) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  step(`Installing ${packages.join(' ')} from this machine's package mirror`)
  await run('apt-get', ['update', '-qq'], { env })
  await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env })
}
