2 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls # 
".TAU application" 1 1 3021 81231 0 GROUP="TAU_DEFAULT"
"MPI_Send()" 10 0 512 512 0 GROUP="MPI"
0 aggregates
3 userevents
# eventname numevents max min mean sumsqr
"Message size sent to all nodes" 10 4096 4096 4096 1.6777E+08
"Message size sent to node 1" 10 4096 4096 4096 1.6777E+08
"Message size sent to node 1 : .TAU application => MPI_Send()" 10 4096 4096 4096 1.6777E+08
