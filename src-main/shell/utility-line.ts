import type { UtilityProcess } from 'electron'
import type { Line } from '#main/workers/rpc.ts'

type Fork = (script: string, args: string[], options: { serviceName: string }) => UtilityProcess

/**
 * Begins a process of Node beside the app's own, and gives the line to it.
 * @param fork `utilityProcess.fork`
 * @param name how systems show it among processes
 */
export function utilityLine(fork: Fork, script: string, args: readonly string[], name: string): Line {
  const child = fork(script, [...args], { serviceName: name })
  return {
    post: (message) => child.postMessage(message),
    onMessage: (listener) => child.on('message', listener),
    onEnd: (listener) => child.once('exit', (code) => listener(new Error(`It ended with ${code}`))),
    // The app goes on until it is quit, whatever runs beside it.
    hold: () => undefined,
    kill: () => void child.kill(),
  }
}
