/** Attributes of an element that scrolls, so that the keyboard reaches it. @param label its name for screen readers */
export const scrollRegion = (label: string) => ({ role: 'region', 'aria-label': label, tabindex: 0 }) as const
