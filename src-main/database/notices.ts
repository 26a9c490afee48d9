import type { Notice } from '#shared/app/state.ts'
import type { CacheNews } from './cache/cache-file.ts'
import type { StateNews, StateOpening } from './state/state-file.ts'

/** What the person should know of an opening; null where all is well. */
export function openingNotice(opening: StateOpening): Notice | null {
  switch (opening.kind) {
    case 'ready':
      return opening.news && newsNotice(opening.news)
    case 'unkept':
      return {
        id: 'store-unkept',
        tone: 'trouble',
        title: 'Nothing can be saved',
        text: `${opening.failure.message} Until then, what you do here is gone when Traffic Desk closes.`,
      }
    case 'newer':
      return {
        id: 'store-newer',
        tone: 'trouble',
        title: 'Saved by a newer version',
        text:
          'The saved data was written by a newer version of Traffic Desk, and was left as it is. ' +
          'Please install the newer version. Until then, nothing new is saved.',
      }
    case 'unsuited':
      return {
        id: 'store-unsuited',
        tone: 'trouble',
        title: 'This version cannot open the saved data',
        text:
          'The saved data is not damaged, and was left as it is: the mistake is in this version of Traffic Desk. ' +
          'Please install another version. Until then, nothing new is saved.',
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
            ? 'There was no backup, so Traffic Desk begins empty. Please connect your accounts again.'
            : `Accounts, settings, views and raw reports are back as they were on ${inWords(news.backup)}. ` +
              'What you changed after that is missing. Requests that were waiting may have been sent since, so ' +
              'they wait for you to decide.',
          ...movedFileWords(news.movedTo),
        ].join(' '),
      }
    case 'moved':
      return {
        id: 'store-restored',
        tone: 'information',
        title: 'The backup was restored',
        text: [
          'Tokens are in no backup: an account whose token is not on this computer asks for it. Please choose your folders ' +
            'again in Settings. Requests that were waiting may have been sent since, so they wait for you to decide.',
          ...(news.movedTo === null
            ? []
            : [
                `What was here before is kept for 30 days as ${news.movedTo} in the profile folder. To go back, restore ` +
                  'that file like a backup.',
              ]),
        ].join(' '),
      }
    case 'not-moved':
      return {
        id: 'store-restored',
        tone: 'trouble',
        title: 'The backup could not be restored',
        text: 'Everything is as it was before. Please try another backup.',
      }
  }
}

const movedFileWords = (movedTo: string | null) =>
  movedTo === null ? [] : [`The damaged file is kept for 30 days as ${movedTo}.`]

const inWords = (moment: number): string =>
  new Date(moment).toLocaleString('en', { dateStyle: 'long', timeStyle: 'short' })

/** What the person should know of the cache. */
export function cacheNotice(news: CacheNews): Notice {
  switch (news) {
    case 'renewed':
      return {
        id: 'cache-renewed',
        tone: 'warning',
        title: 'Saved reports were damaged',
        text: 'They are asked for again. Your accounts, settings and views are not affected.',
      }
    case 'unopened':
      return {
        id: 'cache-unopened',
        tone: 'warning',
        title: 'Saved reports cannot be opened',
        text:
          'They were saved by another version of Traffic Desk, and were left as they are. ' +
          'Until that version is installed, new reports are saved for this session only.',
      }
    case 'unkept':
      return {
        id: 'cache-unkept',
        tone: 'warning',
        title: 'New reports are not saved',
        text: 'The disk cannot be written to. Free some space, or check who may write to the profile folder.',
      }
  }
}
