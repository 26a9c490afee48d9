import type { Formats } from './formats.ts'
import { duration, secondsLeft } from './formats.ts'
import { percentDone } from '../app/jobs.ts'
import type { JobProgress } from '../app/jobs.ts'
import type { Download } from '../downloads/download.ts'

type Paused = Extract<Download['state'], { kind: 'paused' }>

const paused: Readonly<Record<Paused['why'], string>> = {
  person: 'Paused',
  disk: 'Paused: the disk has too little room. It goes on by itself once there is more',
  connection: 'Paused: the service cannot be reached. It goes on by itself',
  interrupted: 'Paused: saving was interrupted. It goes on by itself',
  token: 'Paused: there is no access token that the service takes',
}

/** How far a download is, 0 to 100; null where nobody knows. */
export function percentOf({ state }: Pick<Download, 'state'>): number | null {
  switch (state.kind) {
    case 'running':
    case 'paused':
      return percentDone(state)
    case 'checking':
    case 'unpacking':
    case 'saved':
      return 100
    case 'waiting':
    case 'failed':
    case 'missing':
      return 0
  }
}

const arrivedOf = ({ done, total }: JobProgress, { size }: Formats) =>
  total === null ? size(done) : `${size(done)} of ${size(total)}`

/** How a download stands: `12.1 MB of 40 MB · 3.2 MB/s · 9 s left`. */
export function stateWords(
  download: Pick<Download, 'state' | 'size' | 'expires'>,
  now: number,
  formats: Formats,
): string {
  const { moment, size } = formats
  const { state, size: all } = download
  switch (state.kind) {
    case 'waiting':
      return all === null ? 'Waits for its turn' : `Waits for its turn · ${size(all)}`
    case 'running': {
      if (state.done === 0) return all === null ? 'Begins' : `Begins · ${size(all)}`
      const parts = [arrivedOf(state, formats)]
      if (state.speed !== null && state.speed > 0) {
        parts.push(`${size(state.speed)}/s`)
        if (state.total !== null && state.total > state.done)
          parts.push(`${secondsLeft((state.total - state.done) / state.speed, formats)} left`)
      }
      return parts.join(' · ')
    }
    case 'paused':
      return `${paused[state.why]} · ${arrivedOf(state, formats)}`
    case 'checking':
      return 'All of it is here. Checking that the file is whole'
    case 'unpacking':
      return 'The archive is saved. Unpacking the tables in it'
    case 'failed': {
      if (state.archive === 'saved')
        return `The archive is saved, its tables are not. ${state.failure.message}`
      return isStored(download.expires, now)
        ? `Not saved. ${state.failure.message}`
        : `Not saved. ${state.failure.message} The service has deleted the report meanwhile`
    }
    case 'saved':
      return [`Saved ${moment(state.time, now)}`, ...(all === null ? [] : [size(all)])].join(' · ')
    case 'missing':
      return `The file was moved or deleted. ${goneWords(download.expires, now, formats)}`
  }
}

/** Whether the service still has a report by its own word; where it does not say, it may. */
export function isStored(expires: string | null, now: number): boolean {
  const time = expires === null ? NaN : Date.parse(expires)
  return Number.isNaN(time) || time > now
}

function goneWords(expires: string | null, now: number, formats: Formats): string {
  if (!isStored(expires, now)) return 'The service has deleted the report, so it cannot be fetched again'
  const time = expires === null ? NaN : Date.parse(expires)
  return Number.isNaN(time)
    ? 'It can be fetched again'
    : `It can be fetched again for ${duration(time - now, formats)}`
}

/** What is said once of how a download stands, for those who do not see the list; nothing while it merely goes on. */
export function announcement({ name, file, state }: Download): string {
  switch (state.kind) {
    case 'saved':
      return `${name} is saved as ${file}.`
    case 'failed':
      return state.archive === 'saved'
        ? `${name} is saved as ${file}, its tables are not. ${state.failure.message}`
        : `${name} could not be saved. ${state.failure.message}`
    case 'paused':
      return `${name}: ${paused[state.why]}.`
    case 'waiting':
    case 'running':
    case 'checking':
    case 'unpacking':
    case 'missing':
      return ''
  }
}
