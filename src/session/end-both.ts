/** The proxy goes last, and goes in any case. */
export async function endBoth(container: AsyncDisposable, proxy: AsyncDisposable): Promise<void> {
  try {
    await container[Symbol.asyncDispose]()
  } finally {
    await proxy[Symbol.asyncDispose]()
  }
}
