/** The figures of test runs. Pure. */

/**
 * From vitest's JSON report and exit code. A run that failed without a failed test (a file that
 * does not load, an error outside any test, no report at all) counts as one failure.
 */
export function figuresOf(exitCode, report) {
  let parsed = {}
  try {
    parsed = JSON.parse(report)
  } catch {
    // No report: the exit code decides below.
  }
  const passed = parsed.numPassedTests ?? 0
  const failed = parsed.numFailedTests ?? 0
  const skipped = (parsed.numPendingTests ?? 0) + (parsed.numTodoTests ?? 0)
  const files = (parsed.testResults ?? []).filter(
    (file) => file.status === 'failed' && !hasFailedTest(file),
  )
  const unseen = failed + files.length === 0 && (exitCode !== 0 || passed === 0) ? 1 : 0
  return { passed, failed: failed + files.length + unseen, skipped }
}

const hasFailedTest = (file) =>
  (file.assertionResults ?? []).some((test) => test.status === 'failed')

export function addUp(all) {
  const sum = { passed: 0, failed: 0, skipped: 0 }
  for (const one of all) for (const key of Object.keys(sum)) sum[key] += one[key]
  return sum
}

/** `12 passed, 0 failed`, and what was skipped when something was. */
export function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/** The engines Glovebox is tested on that these are not. */
export function notRun(infos) {
  const has = (kind, rootless) =>
    infos.some((info) => info.kind === kind && info.rootless === rootless)
  return [
    ['Docker', 'docker', false],
    ['Podman', 'podman', false],
    ['rootless Podman', 'podman', true],
  ].flatMap(([name, kind, rootless]) => (has(kind, rootless) ? [] : [name]))
}
