/** One group for each pull request, and for each branch otherwise. Here, so that the provider loads no YAML for it. */
export const branchGroup = '${{ github.workflow }}-${{ github.event.pull_request.number || github.ref }}';
