// Before anything is painted: the theme that was chosen here, so that nothing flashes. Without a choice the system decides.
{
  let theme = null;
  try {
    theme = localStorage.getItem('curlew-theme');
  } catch {
    // Storage may be switched off; the system's theme it is.
  }
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
}
