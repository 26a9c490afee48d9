import { fork } from 'node:child_process'
import type { Serializable } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Channel } from '#main/workers/rpc.ts'

/** Begins a script of the app's in a process of its own (utility-child.ts), as Electron does. */
export function utilityChildChannel(
  script: URL,
  ...args: readonly string[]
): Channel & { readonly pid: number } {
  const child = fork(new URL('./utility-child.ts', import.meta.url), [fileURLToPath(script), ...args], {
    serialization: 'advanced',
  })
  if (child.pid === undefined) throw new Error('The process did not begin')
  return {
    pid: child.pid,
    post: (message) => void child.send(message as Serializable, () => undefined),
    onMessage: (listener) => child.on('message', listener),
    onEnd: (listener) =>
      child.once('exit', (code, signal) => listener(new Error(`It ended with ${code ?? signal}`))),
    hold: (needed) => (needed ? child.ref() : child.unref()),
    kill: () => void child.kill(),
  }
}
