/**
 * Each commit of the default branch may have to be tested or deployed, so its runs have no group in common: GitHub cancels
 * what waits in a group even without `cancel-in-progress`. Here, so that the provider loads no YAML for it.
 */
export const groupBesidesDefaultBranch =
  '${{ github.workflow }}-${{ github.event.pull_request.number || github.ref_name == github.event.repository.default_branch && github.run_id || github.ref }}';
