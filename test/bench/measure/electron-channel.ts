import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Channel } from '#main/workers/rpc.ts'
import { electronPath } from './launch.ts'
import { temporaryFolder } from './desk.ts'

type Said = { readonly pid: number } | { readonly message: unknown }

/**
 * Begins an app without a window that passes on what is posted (test/bench/history/electron), to a utility process of its.
 * @param onPid hears the id of that process
 */
export function electronChannel(folder: URL, args: readonly string[], onPid: (pid: number) => void): Channel {
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const profile = `--user-data-dir=${temporaryFolder('electron-channel')}`
  const child = spawn(electronPath(), [fileURLToPath(folder), ...root, profile, ...args], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    env: { ...process.env, NODE_OPTIONS: process.env['TRAFFIC_DESK_NODE_OPTIONS'] ?? '' },
  })
  return {
    post: (message) => child.send(message as object),
    onMessage: (listener) =>
      child.on('message', (said) => {
        const word = said as Said
        if ('pid' in word) onPid(word.pid)
        else listener(word.message)
      }),
    onEnd: (listener) => child.once('exit', (code) => listener(new Error(`It ended with ${String(code)}`))),
    hold: () => undefined,
    kill: () => child.kill(),
  }
}
