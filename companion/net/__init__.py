"""The API client and the processes of the program: addresses, child processes, jobs, certificates."""
