import type { UpdateState, UpdateStep } from '#shared/app/updates.ts'
import { moment, size } from '#renderer/components/formats.ts'

type WithFeed = Extract<UpdateState, { kind: 'with-feed' }>

/** How it stands with updates, in words. @param now in milliseconds since 1970 */
export function stageWords({ stage, lookedAt, installs }: WithFeed, now: number): string {
  switch (stage.kind) {
    case 'none':
      return lookedAt === null
        ? 'It is not known whether there is a newer version.'
        : `This was the newest version at ${moment(lookedAt, now)}.`
    case 'looking':
      return 'Looking for a newer version…'
    case 'there':
      return `Version ${stage.offer.version} is available, from ${moment(stage.offer.date, now)} (${size(stage.offer.size)}).`
    case 'downloading':
      return `Downloading version ${stage.offer.version}: ${size(stage.done)} of ${size(stage.offer.size)}`
    case 'ready':
      return installs === 'by-replacing'
        ? `Version ${stage.offer.version} is downloaded and checked. Installing it replaces the app's file. Your data stays as it is.`
        : `Version ${stage.offer.version} is downloaded and checked. Installing it opens the system's installer. Your data stays as it is.`
    case 'opened':
      return `The system's installer has version ${stage.offer.version}. When it is done, quit Traffic Desk and start it again.`
    case 'replaced':
      return `Version ${stage.offer.version} is installed. The next start begins it.`
  }
}

/** What can be done next, and how it is called. */
export function nextStep({ stage }: WithFeed): { readonly step: UpdateStep; readonly words: string } {
  switch (stage.kind) {
    case 'none':
    case 'looking':
      return { step: 'look', words: 'Check now' }
    case 'there':
      return { step: 'download', words: 'Download' }
    case 'downloading':
      return { step: 'cancel', words: 'Cancel' }
    case 'ready':
      return { step: 'install', words: 'Install' }
    case 'opened':
      return { step: 'install', words: 'Open the installer again' }
    case 'replaced':
      return { step: 'restart', words: 'Restart now' }
  }
}
