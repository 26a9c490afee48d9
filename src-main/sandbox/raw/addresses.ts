import { createHash } from 'node:crypto'
import type { SandboxReport } from './report.ts'

/** The temporary addresses from which archives are fetched. */
export type Addresses = {
  /** A new address of a report's archive, below the download server's own. */
  readonly issue: (report: SandboxReport, now: number) => string
  /** What an address leads to. */
  readonly resolve: (path: string, signature: string | null, now: number) => Destination
}

export type Destination =
  | { readonly kind: 'archive'; readonly report: SandboxReport }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'expired' }

/** How long an address is good for, on the sandbox's clock. */
export const ADDRESS_LIVES = 5 * 60_000

type Issued = { readonly report: SandboxReport; readonly signature: string; readonly until: number }

/** Addresses look random, and are the same for the same seed. */
export function createAddresses(seed: number): Addresses {
  const issued = new Map<string, Issued>()
  const digest = (of: string) => createHash('sha256').update(`${seed} address ${issued.size} ${of}`)
  return {
    issue: (report, now) => {
      const path = `/${digest('path').digest('hex').slice(0, 32)}/${report.fileName}`
      // A plus sign, as signed addresses have: one decoded once too often leads nowhere.
      const signature = `1+${digest('signature').digest('base64')}`
      issued.set(path, { report, signature, until: now + ADDRESS_LIVES })
      return `${path}?signature=${encodeURIComponent(signature)}`
    },
    resolve: (path, signature, now) => {
      const found = issued.get(path)
      if (!found || found.signature !== signature) return { kind: 'unknown' }
      return now < found.until ? { kind: 'archive', report: found.report } : { kind: 'expired' }
    },
  }
}
