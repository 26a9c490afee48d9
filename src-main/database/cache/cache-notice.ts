import type { Notice } from '#shared/app/state.ts'
import type { CacheNews } from './cache-file.ts'

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
