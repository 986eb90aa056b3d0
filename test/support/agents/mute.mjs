// An agent that reads everything and never says anything.
process.stdin.resume()
process.stdin.on('end', () => process.exit(0))
