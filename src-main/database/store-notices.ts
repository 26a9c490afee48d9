import type { Notice } from '#shared/app/state.ts'
import type { CacheNews } from './cache/cache-file.ts'
import type { StateNews, StateOpening } from './state/state-file.ts'

/** Returns the notice about opening the state; null if there is no problem. */
export function openingNotice(opening: StateOpening): Notice | null {
  switch (opening.kind) {
    case 'ready':
      return opening.news && newsNotice(opening.news)
    case 'unwritable':
      return {
        id: 'store-unwritable',
        tone: 'trouble',
        title: 'Nothing can be saved',
        text: `${opening.failure.message} Until then, your changes are lost when Traffic Desk quits.`,
      }
    case 'newer':
      return {
        id: 'store-newer',
        tone: 'trouble',
        title: 'Saved by a newer version',
        text:
          'A newer version of Traffic Desk wrote the saved data. It was not changed. ' +
          'Install the newer version. Until then, nothing new is saved.',
      }
    case 'incompatible':
      return {
        id: 'store-incompatible',
        tone: 'trouble',
        title: 'This version cannot open the saved data',
        text:
          'The saved data is intact and was not changed. The fault is in this version of Traffic Desk. ' +
          'Install another version. Until then, nothing new is saved.',
      }
  }
}

export function newsNotice(news: StateNews): Notice {
  switch (news.kind) {
    case 'restored':
      return {
        id: 'store-restored',
        tone: 'warning',
        title: news.movedTo === null ? 'The saved data was missing' : 'The saved data was damaged',
        text: [
          news.backup === null
            ? 'There was no backup, so Traffic Desk starts empty. Connect your accounts again.'
            : `Accounts, settings, views and raw reports are restored as of ${inWords(news.backup)}. ` +
              'Later changes are missing. Queued requests are on hold until ' +
              'you confirm them.',
          ...movedFileWords(news.movedTo),
        ].join(' '),
      }
    case 'moved':
      return {
        id: 'store-restored',
        tone: 'information',
        title: 'The backup was restored',
        text: [
          "Backups don't contain tokens. Accounts without one on this computer ask for it. Choose your folders " +
            'again in Settings. Queued requests are on hold until you confirm them.',
          ...(news.movedTo === null
            ? []
            : [
                `Your previous data stays for 30 days as ${news.movedTo} in the profile folder. To go back, restore ` +
                  'that file like a backup.',
              ]),
        ].join(' '),
      }
    case 'not-moved':
      return {
        id: 'store-restored',
        tone: 'trouble',
        title: 'The backup could not be restored',
        text: 'Nothing changed. Try another backup.',
      }
  }
}

const movedFileWords = (movedTo: string | null) =>
  movedTo === null ? [] : [`The damaged file stays for 30 days as ${movedTo}.`]

const inWords = (moment: number): string =>
  new Date(moment).toLocaleString('en', { dateStyle: 'long', timeStyle: 'short' })

/** Returns the notice about the cache. */
export function cacheNotice(news: CacheNews): Notice {
  switch (news) {
    case 'renewed':
      return {
        id: 'cache-renewed',
        tone: 'warning',
        title: 'Saved reports were damaged',
        text: 'They are loaded again. Your accounts, settings and views are not affected.',
      }
    case 'unopened':
      return {
        id: 'cache-unopened',
        tone: 'warning',
        title: 'Saved reports cannot be opened',
        text:
          'Another version of Traffic Desk saved them. They were not changed. ' +
          'Until that version is installed, new reports are saved for this session only.',
      }
    case 'unwritable':
      return {
        id: 'cache-unwritable',
        tone: 'warning',
        title: 'New reports are not saved',
        text: "Can't write to the disk. Free some space, or check the profile folder's permissions.",
      }
  }
}
