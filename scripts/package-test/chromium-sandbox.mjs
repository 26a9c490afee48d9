import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'

/**
 * A process of the app, as /proc shows it.
 *
 * @typedef {object} AppProcess
 * @property {number} pid
 * @property {string} type Chromium's kind of process; empty for the main one
 * @property {string} command
 * @property {boolean} seccomp whether a filter of system calls is on
 * @property {string} processes the name of its process namespace
 */

/**
 * The app's processes that run under a user, from wherever it was installed or unpacked to.
 *
 * @param {number} user
 * @returns {readonly AppProcess[]}
 */
export function appProcesses(user) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        if (statSync(`/proc/${name}`).uid !== user && !ownedBy(name, user)) return []
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')
        if (!readlinkSync(`/proc/${name}/exe`).endsWith('/usr/lib/traffic-desk/traffic-desk')) return []
        return [
          {
            pid: Number(name),
            type: /--type=(\S+)/.exec(command)?.[1] ?? '',
            command,
            seccomp: /^Seccomp:\t2$/m.test(readFileSync(`/proc/${name}/status`, 'utf8')),
            processes: readlinkSync(`/proc/${name}/ns/pid`),
          },
        ]
      } catch {
        return []
      }
    })
}

/**
 * A process that may not be dumped belongs to root in /proc; its status names the real owner.
 *
 * @param {string} pid
 * @param {number} user
 */
function ownedBy(pid, user) {
  return new RegExp(`^Uid:\\t${user}\\t`, 'm').test(readFileSync(`/proc/${pid}/status`, 'utf8'))
}

/**
 * What is wrong with the app's sandbox.
 *
 * @param {readonly AppProcess[]} processes
 * @returns {readonly string[]} empty when every renderer is filtered and sees no process but its own kind
 */
export function sandboxFaults(processes) {
  const main = processes.find(({ type }) => type === '')
  const renderers = processes.filter(({ type }) => type === 'renderer')
  return [
    ...(main === undefined ? ['there is no main process'] : []),
    ...(renderers.length === 0 ? ['there is no renderer'] : []),
    ...processes
      .filter(({ command }) => command.includes('--no-sandbox'))
      .map(({ pid }) => `${pid} has --no-sandbox`),
    ...renderers.filter(({ seccomp }) => !seccomp).map(({ pid }) => `renderer ${pid} has no seccomp filter`),
    ...renderers
      .filter((renderer) => renderer.processes === main?.processes)
      .map(({ pid }) => `renderer ${pid} shares the main process's namespace`),
  ]
}
