/**
 * Loaded into the main process before the app: kills it, as `kill -9` does, at the moment that DIE_AT names.
 *   stored        what is to be announced is kept, and nothing of it was handed to the desktop
 *   noted         it is written down as shown, and nothing was handed over: the one moment that cannot be told from the next
 *   handed        the notification has left for the daemon
 *   answered      the daemon has answered, and the store does not know of it
 *   marking       the store is being told
 *   requested     a request for a report has left
 *   asleep        as handed; but it stops there, as in a computer that sleeps, until it is sent on
 *   step:<n>      at the n-th thing that leaves the main process for the store or a socket
 */
const fs = require('node:fs')
const { Socket } = require('node:net')
const { Worker } = require('node:worker_threads')

const moment = process.env['DIE_AT'] ?? ''
const step = moment.startsWith('step:') ? Number(moment.slice(5)) : Infinity
let steps = 0
let slept = false

const die = () => {
  process.kill(process.pid, 'SIGKILL')
}

const countStep = () => {
  steps += 1
  if (steps >= step) die()
}

const { appendFileSync } = fs
/** @type {typeof appendFileSync} */
fs.appendFileSync = (file, data, options) => {
  const shows = String(file).endsWith('announced.log') && String(data).startsWith('["shown"')
  if (shows && moment === 'stored') die()
  // Between the note and the desktop no disk is waited for: a kill would be likeliest there.
  if (shows && typeof options === 'object' && options?.flush) die()
  appendFileSync(file, data, options)
  if (shows && moment === 'noted') die()
}

/** @param {unknown} bytes */
const left = (bytes) => {
  const text = Buffer.isBuffer(bytes) ? bytes.toString('latin1') : String(bytes)
  if (moment === 'handed' && text.includes('Notify')) die()
  if (moment === 'asleep' && !slept && text.includes('Notify')) {
    slept = true
    process.kill(process.pid, 'SIGSTOP')
  }
  if (moment === 'requested' && text.includes('/v1/raw/request')) die()
  countStep()
}

const { _write, _writev } = Socket.prototype
/**
 * @this {import('node:net').Socket}
 * @param {Buffer | string} chunk
 * @param {BufferEncoding} encoding
 * @param {(error?: Error | null) => void} done
 */
Socket.prototype._write = function writeAndDie(chunk, encoding, done) {
  _write.call(this, chunk, encoding, done)
  left(chunk)
}
/**
 * @this {import('node:net').Socket}
 * @param {{ chunk: Buffer | string, encoding: BufferEncoding }[]} chunks
 * @param {(error?: Error | null) => void} done
 */
Socket.prototype._writev = function writeAllAndDie(chunks, done) {
  _writev?.call(this, chunks, done)
  for (const { chunk } of chunks) left(chunk)
}

const { postMessage } = Worker.prototype
/**
 * @this {Worker}
 * @param {{ name?: string }} message
 * @param {readonly import('node:worker_threads').Transferable[]} transfer
 */
Worker.prototype.postMessage = function postAndDie(message, transfer) {
  const marks = message?.name === 'raw-announcements/shown'
  if (marks && moment === 'answered') die()
  postMessage.call(this, message, transfer)
  if (marks && moment === 'marking') die()
  countStep()
}
