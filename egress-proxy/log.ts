/** One JSON line on stderr; never with a value from a configuration or a request. */
export function log(event: string, detail?: string): void {
  process.stderr.write(
    `${JSON.stringify({ event, ...(detail === undefined ? {} : { detail }) })}\n`,
  )
}
