import type { Notice } from '../../src-shared/desk/state.ts'

/** Says that nothing is done by itself. */
export const pausedNotice: Notice = {
  id: 'paused',
  tone: 'information',
  title: 'Paused',
  text: 'Nothing is updated, watched, requested or saved automatically until “Pause” is switched off in the tray.',
}
