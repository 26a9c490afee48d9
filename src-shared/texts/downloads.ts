import type { Formats } from './formats.ts'
import { duration, secondsLeft } from './formats.ts'
import { percentDone } from '../app/jobs.ts'
import type { JobProgress } from '../app/jobs.ts'
import type { Download } from '../downloads/download.ts'
import { timeOf } from '../values/timestamp.ts'

type Paused = Extract<Download['state'], { kind: 'paused' }>

const paused: Readonly<Record<Paused['why'], string>> = {
  person: 'Paused',
  disk: 'Paused: the disk is full. It resumes once there is space',
  connection: 'Paused: the service is offline. It resumes automatically',
  interrupted: 'Paused: interrupted. It resumes automatically',
  token: 'Paused: no valid access token',
}

/** Returns a download's progress from 0 to 100; null if unknown. */
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

/** Notes a recorded size that differs from the file's. */
const remarkOn = ({ recordedSize }: Pick<Download, 'recordedSize'>, { size }: Formats): string[] =>
  recordedSize === undefined ? [] : [`The service says ${size(recordedSize)}`]

/** Returns a download's state: `12.1 MB of 40 MB · 3.2 MB/s · 9 s left`. */
export function stateWords(
  download: Pick<Download, 'state' | 'size' | 'recordedSize' | 'expires'>,
  now: number,
  formats: Formats,
): string {
  const { moment, size } = formats
  const { state, size: all } = download
  switch (state.kind) {
    case 'waiting':
      return all === null ? 'Waiting for its turn' : `Waiting for its turn · ${size(all)}`
    case 'running': {
      if (state.done === 0) return all === null ? 'Starting…' : `Starting… · ${size(all)}`
      const parts = [arrivedOf(state, formats)]
      if (state.speed !== null && state.speed > 0) {
        parts.push(`${size(state.speed)}/s`)
        if (state.total !== null && state.total > state.done)
          parts.push(`${secondsLeft((state.total - state.done) / state.speed, formats)} left`)
      }
      return [...parts, ...remarkOn(download, formats)].join(' · ')
    }
    case 'paused':
      return `${paused[state.why]} · ${arrivedOf(state, formats)}`
    case 'checking':
      return 'Downloaded. Checking the file'
    case 'unpacking':
      return 'Archive saved. Unpacking its tables'
    case 'failed': {
      if (state.archive === 'saved') return `Archive saved, but not its tables. ${state.failure.message}`
      return isStored(download.expires, now)
        ? `Not saved. ${state.failure.message}`
        : `Not saved. ${state.failure.message} The service has since deleted the report`
    }
    case 'saved':
      return [
        `Saved ${moment(state.time, now)}`,
        ...(all === null ? [] : [size(all)]),
        ...remarkOn(download, formats),
      ].join(' · ')
    case 'missing':
      return `The file was moved or deleted. ${goneWords(download.expires, now, formats)}`
  }
}

/** Whether the service should still have a report. True without an expiry time. */
export function isStored(expires: string | null, now: number): boolean {
  const time = timeOf(expires)
  return time === null || time > now
}

function goneWords(expires: string | null, now: number, formats: Formats): string {
  if (!isStored(expires, now)) return "The service has deleted the report, so you can't download it again"
  const time = timeOf(expires)
  return time === null
    ? 'You can download it again'
    : `You can download it again for ${duration(time - now, formats)}`
}

/** Returns the message for a download's new state, for screen readers; empty while it only progresses. */
export function announcement({ name, file, state }: Download): string {
  switch (state.kind) {
    case 'saved':
      return `${name} is saved as ${file}.`
    case 'failed':
      return state.archive === 'saved'
        ? `${name} was saved as ${file}, but not its tables. ${state.failure.message}`
        : `${name} was not saved. ${state.failure.message}`
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
