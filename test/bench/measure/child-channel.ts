import { fork } from 'node:child_process'
import type { Channel } from '#main/workers/rpc.ts'

/** A channel to a process of its own, with its id: as the app has one to its engine, where there is no Electron. */
export type ChildChannel = Channel & { readonly pid: number }

/** Begins a script in a process of its own. What is posted is cloned, as between an app and its utility processes. */
export function childChannel(script: URL, args: readonly string[]): ChildChannel {
  const child = fork(script, args, { serialization: 'advanced' })
  const { pid } = child
  if (pid === undefined) throw new Error('The process did not begin')
  return {
    pid,
    post: (message) => child.send(message as object),
    onMessage: (listener) => child.on('message', listener),
    onEnd: (listener) => child.once('exit', (code) => listener(new Error(`It ended with ${String(code)}`))),
    hold: (needed) => (needed ? child.ref() : child.unref()),
    kill: () => child.kill(),
  }
}
