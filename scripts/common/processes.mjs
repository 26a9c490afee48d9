import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from './failure.mjs'

const ownGroups = process.platform !== 'win32'

/** @type {Set<import('node:child_process').ChildProcess>} */
const living = new Set()

let stopping = false

/**
 * Starts a command in a process group of its own, so that it can be ended with everything it started.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 */
export function start(command, args, options = {}) {
  if (stopping) throw new Failure('Stopped.')
  const child = spawn(command, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    ...options,
    detached: ownGroups,
  })
  living.add(child)
  child.once('exit', () => living.delete(child))
  child.once('error', () => living.delete(child))
  return child
}

/**
 * Waits for a child to end.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>} its exit code; 128 plus the signal's number where a signal ended it
 */
export function ended(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)))
  })
}

/**
 * Runs a command to its end.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<number>} its exit code
 */
export function run(command, args, options = {}) {
  return ended(start(command, args, options))
}

/**
 * Sends a signal to a child's whole group; a group that is already gone is no error.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
export function signalGroup(child, signal) {
  if (child.pid === undefined) return
  try {
    if (ownGroups) process.kill(-child.pid, signal)
    else child.kill(signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/**
 * Ends what is left of a child's group: it may tidy up for a moment, then it is made to go.
 *
 * @param {import('node:child_process').ChildProcess} child
 */
async function endGroup(child) {
  signalGroup(child, 'SIGTERM')
  const until = Date.now() + 1_000
  while (groupLives(child) && Date.now() < until) await pause(20)
  signalGroup(child, 'SIGKILL')
}

/**
 * Whether anything in a child's group still runs. The dead that the system has not cleared away do not count, which
 * only /proc tells.
 *
 * @param {import('node:child_process').ChildProcess} child
 */
function groupLives({ pid }) {
  if (pid === undefined || process.platform !== 'linux') return false
  return readdirSync('/proc').some((name) => {
    try {
      const [state, , group] = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      return group === String(pid) && state !== 'Z'
    } catch {
      return false
    }
  })
}

/**
 * Ends a child politely, then with force, and with it all that is left of its group.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {{ ask?: (child: import('node:child_process').ChildProcess) => void, timeoutMs?: number }} [how] `ask`: the
 *   polite way; `timeoutMs`: how long it may take, in ms
 */
export async function stop(child, { ask = (one) => one.kill('SIGTERM'), timeoutMs = 5_000 } = {}) {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = ended(child)
    ask(child)
    const force = setTimeout(() => signalGroup(child, 'SIGKILL'), timeoutMs)
    await gone.finally(() => clearTimeout(force))
  }
  await endGroup(child)
}

/** Ends every child that is still running. From here on none can be started. */
export async function stopAll() {
  stopping = true
  await Promise.all([...living].map((child) => stop(child)))
}
