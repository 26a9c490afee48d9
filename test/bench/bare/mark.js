/** Marks the same moment as the app does: the frame after the one in which the content was painted. */
requestAnimationFrame(() => requestAnimationFrame(() => performance.mark('report-shown')))
