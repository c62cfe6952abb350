/** Every temporary folder of a test carries this in its name: the leak check looks for it, and loads no more than this. */
export const TEMP_PREFIX = 'holdpoint-test-';
