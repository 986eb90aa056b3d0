/** Keeps stdout for ACP frames: whatever else in the process writes there goes to stderr. */

/**
 * Redirects `process.stdout.write` and returns the only way left to the real one.
 * Call it before anything else is loaded.
 */
export function protocolOutput(): WritableStream<Uint8Array> {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  return new WritableStream({
    write: (chunk) =>
      new Promise((resolve, reject) => {
        write(chunk, (error) => {
          if (error) reject(error)
          else resolve()
        })
      }),
  })
}
