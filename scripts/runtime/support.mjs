import { readFileSync } from 'node:fs'
import { inCheckout } from '../common/checkout.mjs'

/**
 * The last day, in UTC, on which each major version of Electron gets repairs: the day on which the third one after it
 * appears. Days to come are reckoned at eight weeks a version, which is never too late; correct them by the source named
 * in the file.
 *
 * @returns {Readonly<Record<string, string>>} YYYY-MM-DD by major version
 */
export function supportedUntil() {
  return JSON.parse(readFileSync(inCheckout('scripts', 'runtime', 'support.json'), 'utf8')).until
}

/** The version of Electron that package.json pins: the one that people get. @returns {string} */
export function pinnedVersion() {
  return String(JSON.parse(readFileSync(inCheckout('package.json'), 'utf8')).devDependencies.electron)
}

/**
 * What is wrong with shipping a version of Electron.
 *
 * @param {string} version as package.json pins it
 * @param {Date} today
 * @param {Readonly<Record<string, string>>} until the last day of support by major version
 * @returns {string | undefined} undefined where it is in support
 */
export function supportFault(version, today, until) {
  const major = /^(\d+)\.\d+\.\d+$/.exec(version)?.[1]
  if (major === undefined) return `package.json does not pin one version of Electron: ${version}.`
  const last = until[major]
  if (last === undefined)
    return `Nobody has written down how long Electron ${major} is supported: add it to scripts/runtime/support.json.`
  if (today.toISOString().slice(0, 10) <= last) return undefined
  return `Electron ${version} is out of support since ${last}: pin a newer one, or correct the day in scripts/runtime/support.json.`
}

/**
 * Why a package with this runtime should not be made.
 *
 * @param {Pick<import('./choose.mjs').Runtime, 'kind' | 'version'>} runtime
 * @param {{ fallbackForTests: boolean, today: Date }} asked
 * @returns {string | undefined} undefined where it may
 */
export function packingFault({ kind, version }, { fallbackForTests, today }) {
  if (kind === 'official') return supportFault(version, today, supportedUntil())
  if (fallbackForTests) return undefined
  return (
    `Only the fallback can be had here, Electron ${version}, which gets no repairs any more: no package for people is made ` +
    'with it. Make it where the official Electron can be downloaded, or add `-- --fallback-for-tests` for one that says so.'
  )
}
