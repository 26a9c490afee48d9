import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Whether there is a screen to open windows on. */
export function displayPresent() {
  return process.platform !== 'linux' || Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'])
}

/**
 * The session bus that is already there and answers.
 *
 * @returns {string | undefined} its address
 */
export function sessionBus() {
  if (process.platform !== 'linux') return undefined
  const address = process.env['DBUS_SESSION_BUS_ADDRESS'] || usualAddress()
  return address !== undefined && answers(address) ? address : undefined
}

/** Where systemd puts a person's bus. */
function usualAddress() {
  const folder = process.env['XDG_RUNTIME_DIR']
  if (!folder) return undefined
  const socket = join(folder, 'bus')
  return existsSync(socket) ? `unix:path=${socket}` : undefined
}

/** @param {string} address */
function answers(address) {
  return callBus(address, 'GetId') !== undefined
}

/**
 * Asks a bus about itself.
 *
 * @param {string} address
 * @param {'GetId' | 'NameHasOwner'} method
 * @param {...string} args
 * @returns {string | undefined} what it says; undefined where it does not
 */
export function callBus(address, method, ...args) {
  const object = ['--dest=org.freedesktop.DBus', '/org/freedesktop/DBus', `org.freedesktop.DBus.${method}`]
  try {
    return execFileSync(
      'dbus-send',
      [`--bus=${address}`, '--print-reply=literal', '--reply-timeout=1500', ...object, ...args],
      {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        timeout: 3_000,
      },
    ).trim()
  } catch {
    return undefined
  }
}
