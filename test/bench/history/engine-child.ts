/** The engine in a process that Node forked: its line looks like that of Electron's utility process. */
Object.assign(process, {
  parentPort: {
    postMessage: (message: object) => process.send?.(message),
    on: (_: 'message', listener: (event: { readonly data: unknown }) => void) =>
      process.on('message', (data) => listener({ data })),
  },
})
await import('../../../src-main/figures/engine/engine-process.ts')

export {}
