// Where things are on the two origins.

export const REGISTER_PATH = '/judgments/unreported-judgments/';
export const ADVANCED_SEARCH_PATH = '/judgments/unreported-judgments-advanced-search/';
export const CSV_PATH = '/wp-content/uploads/box_files/judgments.csv';
export const AJAX_PATH = '/wp-admin/admin-ajax.php';
/** At Box: all signed addresses begin with it. */
export const BOX_PATH = '/d/1/';
